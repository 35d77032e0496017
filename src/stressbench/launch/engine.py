"""Arguments of the engine. Options are passed on as typed, since the engine itself defines and checks them."""

from dataclasses import dataclass, fields, replace
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Options of `stressbench-mpi run`, as typed. None: the engine's default."""

    isolated: str | None = None
    contended: str | None = None
    until_interval: str | None = None
    finish: str | None = None
    place: str | None = None
    seed: str | None = None
    warmup: str | None = None
    time_limit: str | None = None
    stall_limit: str | None = None
    repetitions: str | None = None
    min_time: str | None = None
    run_id: str | None = None
    telemetry: str | None = None
    telemetry_command: str | None = None
    telemetry_limit: str | None = None
    sets: tuple[str, ...] = ()
    verify: bool = False

    def arguments(self) -> tuple[str, ...]:
        """Arguments `--option value` for all options that were given."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        sets, verify = values.pop("sets"), values.pop("verify")
        options = [(f"--{name.replace('_', '-')}", value) for name, value in values.items() if value is not None]
        options += [("--set", text) for text in sets]
        words = tuple(word for option in options for word in option)
        return (*words, "--verify") if verify else words

    def for_continued_run(self) -> "EngineOptions":
        """Those of the options that a run file does not contain."""
        return EngineOptions(
            time_limit=self.time_limit, stall_limit=self.stall_limit, telemetry=self.telemetry,
            telemetry_command=self.telemetry_command, telemetry_limit=self.telemetry_limit,
        )  # fmt: skip

    def with_stall_limit(self, default: str | None) -> "EngineOptions":
        """The same options, with this stall limit unless one was typed."""
        return self if self.stall_limit is not None else replace(self, stall_limit=default)


@dataclass(frozen=True, kw_only=True)
class RunFile:
    """The run file to write: a new file, or one that is continued."""

    path: Path
    continues: bool = False

    def arguments(self) -> tuple[str, ...]:
        """The engine's option for the run file."""
        return ("--continue" if self.continues else "--output", str(self.path))


def check_arguments(
    *,
    engine: Path,
    workload: Path,
    ranks: int | None,
    ranks_per_node: int | str | None,
    sets: tuple[str, ...],
    telemetry: str | None = None,
) -> tuple[str, ...]:
    """The command that checks a workload and the names of sources of telemetry without starting ranks.

    Where `ranks` is None, the workload's text only.
    """
    set_options = tuple(word for text in sets for word in ("--set", text))
    telemetry_options = () if telemetry is None else ("--telemetry", telemetry)
    shape_options = () if ranks is None else ("--ranks", str(ranks), *_shape(ranks_per_node))
    return (str(engine), "check", str(workload), *shape_options, *set_options, *telemetry_options)


def run_arguments(
    *, engine: Path, workload: Path | None, ranks_per_node: int | str | None, run_file: RunFile, options: EngineOptions
) -> tuple[str, ...]:
    """The program that a launcher starts on every rank. `workload` is None where the continued file contains it.

    The engine's table of results is suppressed, since `stressbench show` prints a fuller one.
    """
    return (
        str(engine),
        "run",
        *(() if workload is None else (str(workload),)),
        "--quiet",
        *run_file.arguments(),
        *_shape(ranks_per_node),
        *options.arguments(),
    )


def _shape(ranks_per_node: int | str | None) -> tuple[str, ...]:
    return () if ranks_per_node is None else ("--ranks-per-node", str(ranks_per_node))
