"""`stressbench.capture`, `record` and functions on traces."""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from stressbench.api.failures import TraceFailed
from stressbench.api.presentation import Reported
from stressbench.api.profile_results import ProfileResults
from stressbench.api.progress import Report, reporting_to
from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.capture import capture_program, record_program
from stressbench.experiments.exporting.export import WORKLOAD_SUFFIX, export_trace, export_workload
from stressbench.experiments.exporting.summary import Export, ExportFormat
from stressbench.experiments.exporting.workload import WorkloadRanks
from stressbench.experiments.trace_outline import MAX_LINES, outline_document
from stressbench.experiments.traces import multigrid_levels, reference_profile_json, trace_difference
from stressbench.formats.trace import Trace
from stressbench.launch.traced import TracedLaunch
from stressbench.report.document import Document
from stressbench.report.renderers import render
from stressbench.report.traffic.calls import difference_document
from stressbench.tracing.diff import CONTEXT, Difference
from stressbench.tracing.profile import profile_of


class TraceResults(Reported[Trace]):
    """Every call of the ranks of a program; `data` gives access to the ranks and their sequences."""

    _without = ("csv", "json", "latex")

    def __repr__(self) -> str:
        header = self.data.header
        return f"<TraceResults of {header.program or 'a program'}: {header.ranks} ranks>"

    @property
    def complete(self) -> bool:
        """Whether the file is whole; of a truncated file, the complete ranks are there."""
        return not self.data.truncated

    def calls(self, *, rank: int | None = None, lines: int = MAX_LINES) -> str:
        """The order of calls of a rank with its loops, as `stressbench trace show --rank` prints it; None: the first.

        At most `lines` lines of each thread. Raises `stressbench.StressBenchError` if there is no such rank.
        """
        if rank is None and self.data.positions:
            rank = self.data.positions[0].rank
        return render("text", outline_document(self.data, rank=rank, lines=lines))

    def profile(self) -> ProfileResults:
        """Times and traffic, as `stressbench.profile` returns them. Raises `stressbench.StressBenchError`."""
        return ProfileResults(profile_of(self.data))

    def _title(self) -> str:
        return f"Calls of {self.data.header.program or 'a program'}"

    def _brief(self) -> Document:
        return outline_document(self.data)


class DifferenceResults(Reported[Difference]):
    """Where the calls of two traces differ (schema/trace-diff.schema.json)."""

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return self.data.same

    def _title(self) -> str:
        return f"Differences between {self.data.a} and {self.data.b}"

    def _brief(self) -> Document:
        return difference_document(self.data)


def capture(
    command: Sequence[str | PathLike[str]], *, output: str | PathLike[str], with_names: bool = False,
    gap_times: bool = False, cpu_time: bool = False, progress: Report | None = None,
) -> TraceResults:  # fmt: skip
    """Run `command`, a whole MPI launch, and write every call of each rank, in order, to the file `output` (.trace).

        trace = stressbench.capture(["mpirun", "-n", "4", "./cg.A.x"], output="cg.trace")
        print(trace.calls(rank=0))

    `with_names` keeps host names, `gap_times` the time before each call in order. With `cpu_time`, times between calls
    are processor time. Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong
    before the program starts, and `stressbench.TraceFailed` if the program ended with an error or left no trace.
    """
    sentences: list[str] = []
    launch = capture_program(
        tuple(map(str, command)), output=Path(output), with_names=with_names, gap_times=gap_times, cpu_time=cpu_time,
        progress=reporting_to(_collecting(sentences, progress)),
    )  # fmt: skip
    return _results(launch, command, sentences, is_written=True)


def record(
    command: Sequence[str | PathLike[str]], *, output: str | PathLike[str], job: str | None = None,
    with_names: bool = False, progress: Report | None = None,
) -> TraceResults:  # fmt: skip
    """Run `command`, a whole MPI launch, and write a workload to `output` (.sb) that repeats its calls.

    The trace is written beside the workload, and returned. `job` is the name of the workload's job, by default the
    program's. Raises as `stressbench.capture`, also if the calls cannot be replayed; the trace is then kept.
    """
    sentences: list[str] = []
    launch, is_written = record_program(
        tuple(map(str, command)), output=Path(output), job=job, with_names=with_names,
        progress=reporting_to(_collecting(sentences, progress)),
    )  # fmt: skip
    return _results(launch, command, sentences, is_written=is_written)


def trace_diff(
    a: str | PathLike[str], b: str | PathLike[str], *, exact: bool = False, context: int = CONTEXT
) -> DifferenceResults:  # fmt: skip
    """Compare two traces rank by rank: where the order of calls first differs, and how the totals differ.

    `exact`: compare receives from any source and the creation of communicators as called. `context`: calls shown around
    a difference. Raises `stressbench.StressBenchError`.
    """
    return DifferenceResults(trace_difference(Path(a), Path(b), exact=exact, context=context))


def trace_export(path: str | PathLike[str], *, iteration: bool = False) -> str:
    """The reference communication profile of a trace as JSON; with `iteration`, of one pass of its main loop.

    Raises `stressbench.StressBenchError`.
    """
    return reference_profile_json(Path(path), iteration=iteration).decode()


def trace_convert(
    path: str | PathLike[str], *, export_format: str, output: str | PathLike[str], ranks: int | None = None,
    ranks_per_node: int | None = None, place: str | None = None, variables: Mapping[str, str] | None = None,
    repetitions: int | None = None, engine: str | PathLike[str] | None = None, progress: Report | None = None,
) -> Export:  # fmt: skip
    """Write the calls of a trace, or of all jobs of a workload (.sb), for a simulator or a trace viewer.

        stressbench.trace_convert("cg.trace", export_format="goal", output="cg.goal")
        stressbench.trace_convert("demo.sb", ranks=8, ranks_per_node=1, export_format="otf2", output="demo")

    `export_format` is `goal`, `simgrid-ti`, `otf2` or `perfetto`. `output` is a file or, for `simgrid-ti` and `otf2`, a
    new directory. A workload needs `ranks`; `ranks_per_node` defaults to all of them, `repetitions` of each job to its
    [REPEAT] or 1. Returns what the export contains. Must be called in the main thread. Raises
    `stressbench.StressBenchError`.
    """
    file = Path(path)
    try:
        known_format = ExportFormat(export_format)
    except ValueError:
        raise UserError(f"export_format: {export_format!r}: expected one of {', '.join(ExportFormat)}") from None
    if file.suffix != WORKLOAD_SUFFIX:
        return export_trace(file, export_format=known_format, output=Path(output))
    if ranks is None:
        raise UserError("ranks: a workload has no number of ranks of its own; expected one")
    launch = WorkloadRanks(
        ranks=ranks, ranks_per_node=ranks_per_node, place=place, repetitions=repetitions,
        variables=tuple(f"{name}={value}" for name, value in (variables or {}).items()),
    )  # fmt: skip
    return export_workload(
        file, launch, export_format=known_format, output=Path(output), engine=None if engine is None else Path(engine),
        progress=reporting_to(progress),
    )  # fmt: skip


def trace_levels(path: str | PathLike[str]) -> str:
    """The levels of the multigrid in a trace, as the text of a file for the motif `amg --levels FILE`.

    Raises `stressbench.StressBenchError` if none is recognised.
    """
    return multigrid_levels(Path(path))


def _collecting(sentences: list[str], progress: Report | None) -> Report:
    def report(text: str) -> None:
        sentences.append(text)
        if progress is not None:
            progress(text)

    return report


def _results(
    launch: TracedLaunch, command: Sequence[str | PathLike[str]], sentences: Sequence[str], *, is_written: bool
) -> TraceResults:
    results = None if launch.trace is None else TraceResults(launch.trace)
    if results is None or not is_written:
        raise TraceFailed("; ".join(sentences), status=launch.status or ExitStatus.fault, results=results)
    if launch.status:
        raise TraceFailed(f"{command[0]} ended with status {launch.status}", status=launch.status, results=results)
    return results
