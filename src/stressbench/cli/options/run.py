"""Options of `stressbench run`: what to measure."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.common import (
    RanksPerNode,
    TargetName,
    placement_option,
    ranks_option,
    seed_option,
    set_option,
    time_limit_option,
    verify_option,
)
from stressbench.cli.options.documents import output_option
from stressbench.cli.options.launcher import LauncherOptions
from stressbench.cli.options.rounds import contended_option, isolated_option
from stressbench.experiments.run import RunSpec
from stressbench.launch.engine import EngineOptions
from stressbench.launch.option_values import optional_seconds, seconds


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What to measure. Options of the engine are passed on to it unchanged."""

    ranks: Annotated[
        int | None,
        ranks_option("MPI ranks to start (required unless --continue or --on lab:NAME)."),
    ] = None
    ranks_per_node: RanksPerNode = None
    output: Annotated[
        Path | None,
        output_option("RUN.jsonl", "Run file; default: name of FILE and the time (UTC)."),
    ] = None
    isolated: Annotated[str | None, isolated_option("Isolated rounds of each job.", least=None)] = None
    contended: Annotated[str | None, contended_option("Contended rounds, in which all jobs run.", least=None)] = None
    until_interval: Annotated[
        str | None,
        typer.Option(metavar="5%", help="Continue until the interval of each impact is this narrow."),
    ] = None
    finish: Annotated[
        str | None,
        typer.Option(
            metavar="sustain|once",
            help="sustain: jobs that finish early keep running, so contended samples never see a partly idle machine; "
            "once: they stop, as in the paper.",
        ),
    ] = None
    place: Annotated[
        str | None, placement_option("Placement of jobs with [NODES]: linear, interleaved or random:SEED.")
    ] = None
    seed: Annotated[str | None, seed_option("Random seed of order, placement and drawn times.")] = None
    warmup: Annotated[str | None, typer.Option(metavar="W", help="Unmeasured repetitions before measured ones.")] = None
    time_limit: Annotated[
        str | None,
        time_limit_option("End the run before this limit, for example 55min; completed rounds are kept."),
    ] = None
    stall_limit: Annotated[
        str | None,
        typer.Option(metavar="T", help="End the run if a rank makes no progress for this time, for example 5min; "
                     "default on labs: 60s."),
    ] = None  # fmt: skip
    grace: Annotated[
        str,
        typer.Option(metavar="T", help="Time for ranks to end after a stop request or the time limit; "
                     "then they are killed."),
    ] = "60s"  # fmt: skip
    continue_from: Annotated[
        Path | None, typer.Option("--continue", metavar="RUN.jsonl", help="Continue an incomplete run.")
    ] = None
    repetitions: Annotated[
        str | None, typer.Option(metavar="R", help="Measured repetitions per round, for jobs without [REPEAT].")
    ] = None
    min_time: Annotated[
        str | None,
        typer.Option(metavar="T", help="Measure each job at least this long per round, for example 30s."),
    ] = None
    run_id: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Name of this run, part of the names of the files that motifs write."),
    ] = None
    sets: Annotated[
        list[str] | None,
        set_option("Override a [SET] variable of FILE; can be repeated.", metavar="NAME=VALUE"),
    ] = None
    verify: Annotated[bool, verify_option("Check every received byte; slower.")] = False
    telemetry: Annotated[
        str | None,
        typer.Option(metavar="SOURCE,...", help="Counters of the hosts to read between rounds: off, auto (default: all "
                     "that there are), or sources (`stressbench-mpi telemetry` lists them)."),
    ] = None  # fmt: skip
    telemetry_command: Annotated[
        str | None,
        typer.Option(metavar="CMD", help="Shell command that prints more counters as a JSON object, on each host."),
    ] = None
    telemetry_limit: Annotated[
        str | None,
        typer.Option(metavar="T", help="Longest time for a reading (default 1s); a slower source is not read again."),
    ] = None
    realtime: Annotated[
        bool,
        typer.Option(
            "--realtime",
            help="Start ranks under `chrt -r 1`: ranks that share a core take turns. Needs root or CAP_SYS_NICE.",
        ),
    ] = False
    on: TargetName = "local"

    def engine_options(self) -> EngineOptions:
        """The options that are passed to the engine."""
        values = {option.name: getattr(self, option.name) for option in fields(EngineOptions)}
        return EngineOptions(**{**values, "sets": tuple(self.sets or ())})


def run_spec(
    file: Path | None, options: RunOptions, launcher: LauncherOptions, *, extra: tuple[str, ...], terminal: bool
) -> RunSpec:
    """The run that the options describe; `extra` are the words after `--`, for the launcher. Raises LaunchMistake."""
    return RunSpec(
        workload=file, continue_from=options.continue_from, output=options.output, on=options.on, ranks=options.ranks,
        ranks_per_node=options.ranks_per_node, options=options.engine_options(),
        grace_s=seconds(options.grace, option="--grace"),
        limit_s=optional_seconds(options.time_limit, option="--time-limit"),
        mpirun=launcher.mpirun, engine=launcher.engine, launcher_arguments=(*launcher.arguments(), *extra),
        realtime=options.realtime, terminal=terminal,
    )  # fmt: skip
