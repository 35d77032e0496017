"""The effective bandwidth of a machine and of its file system: b_eff and b_eff_io, each run as a single job."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.errors import StressBenchError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.scratch import scratch_directory
from stressbench.formats.errors import SuiteFileError, reason_of
from stressbench.formats.files import is_own_file, limits, read_bytes, require_output
from stressbench.formats.protocols.beff import read_protocols
from stressbench.formats.protocols.beff_io import read_io_protocols
from stressbench.formats.workload_text import in_quotes, quote_argument
from stressbench.launch import session
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.explanation import NOTHING_MEASURED, causes
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.shape import Shape, shape_of
from stressbench.launch.targets import engine_for
from stressbench.suites.beff import BEff, b_eff_of
from stressbench.suites.beff_io import BEffIO, b_eff_io_of

B_EFF, B_EFF_IO = "b_eff", "b_eff_io"


class SuiteAborted(StressBenchError):
    """The run failed or was interrupted, so that there is no result. The reasons have been reported before."""

    def __init__(self, message: str, *, status: int) -> None:
        self.exit_status = ExitStatus(status)
        super().__init__(message)


@dataclass(frozen=True, kw_only=True)
class SuiteLaunch:
    """Where and how a suite runs. `target_name`: `target` as given to `--on`. `verify`: check every byte."""

    shape: Shape
    target: LaunchTarget
    target_name: str
    engine: Path | None
    seed: str
    verify: bool


def suite_shape(target: LaunchTarget, ranks: int | None) -> Shape:
    """The given number of ranks or that of the target, with one rank per node. Raises LaunchMistake without either."""
    return shape_of(ranks=ranks, ranks_per_node=1, run_file=RunFile(path=Path("run.jsonl")), default=target.ranks)


def suite_launch(
    target: LaunchTarget, ranks: int | None, *, on: str, engine: Path | None, seed: str, verify: bool
) -> SuiteLaunch:  # fmt: skip
    """The launch of a suite on `target`, as given to `--on`. Raises LaunchMistake."""
    return SuiteLaunch(
        shape=suite_shape(target, ranks), target=target, target_name=on,
        engine=engine_for(target, engine, environment=os.environ), seed=seed, verify=verify,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class BEffOptions:
    """What b_eff measures. Sizes and the kind of random patterns are as typed, since the motif checks them.

    `memory`: per rank; it determines the longest message, unless `longest` gives that. None: the motif's default.
    `quick`: fewer patterns and attempts. `extra`: also patterns that b_eff does not include.
    """

    memory: str | None = None
    longest: str | None = None
    random_patterns: str | None = None
    quick: bool = False
    extra: bool = False

    def arguments(self) -> tuple[str, ...]:
        """Arguments of the motif."""
        return _arguments(
            ("--memory", self.memory), ("--lmax", self.longest), ("--random", self.random_patterns),
            flags=(("--quick", self.quick), ("--extra", self.extra)),
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class BEffIOOptions:
    """What b_eff_io measures, and where its files are. Times and sizes are as typed, since the motif checks them.

    `time`: the scheduled time. `file`: prefix of the files, in which `${SCRATCH}` is a variable of the target.
    `partitions`: as in --partitions, such as `4`, `2x4` or `r0-3+8`; empty: all ranks. `memory`: of a node; it
    determines the longest chunk, unless `longest` gives that. `limit`: total size of the files. `types`: pattern types,
    empty: all. `pattern_hints`: `number:key=value`. `random`: rewriting and reading in random order.
    """

    time: str
    file: str
    partitions: tuple[str, ...] = ()
    release: int = 1
    memory: str | None = None
    longest: str | None = None
    limit: str | None = None
    hints: tuple[str, ...] = ()
    pattern_hints: tuple[str, ...] = ()
    random: bool = False
    types: tuple[int, ...] = ()
    shared_pointers: bool = True
    keep: bool = False
    overwrite: bool = False

    def arguments(self) -> tuple[str, ...]:
        """Arguments of the motif."""
        return _arguments(
            ("--time", self.time), ("--file", self.file), ("--partitions", _list(self.partitions)),
            ("--release", str(self.release)), ("--memory", self.memory), ("--mpart", self.longest),
            ("--limit", self.limit), ("--hint", _list(self.hints)),
            ("--pattern-hint", _list(self.pattern_hints)), ("--types", _list(self.types)),
            flags=(
                ("--random", self.random), ("--no-shared", not self.shared_pointers), ("--keep", self.keep),
                ("--overwrite", self.overwrite),
            ),
        )  # fmt: skip


def _arguments(*valued: tuple[str, str | None], flags: Iterable[tuple[str, bool]] = ()) -> tuple[str, ...]:
    """Options with the values that are not None, then the flags that are set."""
    words = [text for option, value in valued if value is not None for text in (option, value)]
    return (*words, *(option for option, is_set in flags if is_set))


def _list(values: Iterable[object]) -> str | None:
    return ",".join(map(str, values)) or None


def run_b_eff(
    launch: SuiteLaunch, options: BEffOptions, *, output: Path | None = None, progress: Progress = silent
) -> BEff:
    """Measure b_eff. `output` keeps the protocol: the time of every loop.

    Raises LaunchMistake, SuiteFileError, and SuiteAborted where the run is not completed.
    """
    with _protocol_file(output, name="beff") as (folder, protocol):
        status = _run_motif(B_EFF, options.arguments(), launch, folder=folder, protocol=protocol, progress=progress)
        if status == ExitStatus.ok:
            return evaluate_b_eff(protocol)
        kept = "" if output is None or not protocol.exists() else f"; {output} has what was measured"
        raise SuiteAborted(f"b_eff was not completed: there is no result{kept}", status=status)


def evaluate_b_eff(protocol: Path) -> BEff:
    """b_eff from the last execution in a protocol. Raises SuiteFileError."""
    result = b_eff_of(read_protocols(protocol)[-1])
    if result is None:
        raise SuiteFileError(f"{protocol}: patterns or message sizes are missing; no b_eff follows from that")
    return result


def run_b_eff_io(
    launch: SuiteLaunch, options: BEffIOOptions, *, output: Path | None = None, cache_bytes: int | None = None,
    progress: Progress = silent,
) -> tuple[BEffIO, int]:  # fmt: skip
    """Measure b_eff_io; the second value is the exit status of the run, whose result may be incomplete.

    `cache_bytes`: size of the file system's cache. Raises LaunchMistake, SuiteFileError, and SuiteAborted where nothing
    was measured.
    """
    with _protocol_file(output, name="beff_io") as (folder, protocol):
        status = _run_motif(B_EFF_IO, options.arguments(), launch, folder=folder, protocol=protocol, progress=progress)
        if status != ExitStatus.ok and not _has_lines(protocol):
            raise SuiteAborted("b_eff_io was not started or measured nothing: there is no result", status=status)
        return evaluate_b_eff_io(protocol, cache_bytes=cache_bytes, completed=status == ExitStatus.ok), status


def evaluate_b_eff_io(protocol: Path, *, cache_bytes: int | None = None, completed: bool = True) -> BEffIO:
    """b_eff_io from the last execution in a protocol. The end record is ignored unless the execution `completed`.

    Raises SuiteFileError.
    """
    protocol_records = read_io_protocols(protocol)[-1]
    return b_eff_io_of(protocol_records if completed else replace(protocol_records, end=None), cache_bytes=cache_bytes)


def _run_motif(
    motif: str, options: tuple[str, ...], launch: SuiteLaunch, *, folder: Path, protocol: Path, progress: Progress
) -> int:
    """Run the motif once on all ranks and return the exit status. Raises LaunchMistake."""
    workload, run_file = folder / f"{motif}.sb", RunFile(path=folder / "run.jsonl")
    words = " ".join((motif, *(quote_argument(word, variables=True) for word in options)))
    workload.write_text(
        f"[JOB_NAME] {motif}\n[NODES] {launch.shape.ranks}\n[MOTIF] {words} --protocol {in_quotes(str(protocol))}\n",
        encoding="utf-8",
    )
    engine_options = EngineOptions(
        isolated="1", contended="0", repetitions="1", warmup="0", seed=launch.seed, verify=launch.verify
    )
    request = session.LaunchRequest(
        workload=workload, ranks=launch.shape.ranks, ranks_per_node=launch.shape.ranks_per_node, run_file=run_file,
        options=engine_options.with_stall_limit(launch.target.stall_limit), engine=launch.engine, target=launch.target,
        on=launch.target_name,
    )  # fmt: skip
    prepared = session.prepare(request, environment=os.environ)
    if isinstance(prepared, int):
        return prepared
    result = session.run(prepared, run_file=run_file.path)
    for sentence in causes(result, request=request):
        progress(sentence)
    if result.status in (ExitStatus.fault, ExitStatus.interrupted) and not protocol.exists():
        progress(NOTHING_MEASURED)
    return result.status


@contextmanager
def _protocol_file(output: Path | None, *, name: str) -> Iterator[tuple[Path, Path]]:
    """A temporary directory, and the path of the protocol: a file in it, or `output`, which must not exist yet."""
    if output is not None:
        _require_new(output)
    with scratch_directory(name) as folder:
        protocol = (output or folder / "protocol.jsonl").absolute()
        try:
            yield folder, protocol
        finally:
            note = _note_of(protocol)
            if is_own_file(note):  # the motif leaves it for continued runs, but this run is never continued
                note.unlink()


def _note_of(protocol: Path) -> Path:
    """The marker file by which the motif recognises a protocol as its own."""
    return protocol.with_name(f"{protocol.name}.stressbench")


def _require_new(output: Path) -> None:
    folder = output.absolute().parent
    if os.path.lexists(output):
        raise LaunchMistake(f"-o {output}: already exists; name a new file, or remove it")
    if not folder.is_dir():
        raise LaunchMistake(f"-o {output}: {folder} is not a directory")
    if os.path.lexists(note := _note_of(output)):
        raise LaunchMistake(f"-o {output}: {note} already exists; name a new file, or remove it")
    try:
        require_output(output)
    except OSError as fault:
        raise LaunchMistake(f"-o {output}: {reason_of(fault)}") from fault


def _has_lines(protocol: Path) -> bool:
    try:
        return b"\n" in read_bytes(protocol, limit=limits.PROTOCOL)
    except OSError:
        return False
