"""`export_trace` and `export_workload` write calls in the format of another tool."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.exporting.otf2_archive import otf2_python, write_archive
from stressbench.experiments.exporting.output_directory import new_output_directory, require_new_directory
from stressbench.experiments.exporting.summary import Export, ExportFormat, summary_of
from stressbench.experiments.exporting.workload import WorkloadRanks, of_workload
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.scratch import scratch_directory
from stressbench.formats.errors import reason_of
from stressbench.formats.files import new_output, require_output
from stressbench.formats.trace import read_trace
from stressbench.formats.trace.records import MAX_RANKS
from stressbench.launch.find import find_engine
from stressbench.stop_signals import handled_by
from stressbench.tracing.exports.goal import goal_text
from stressbench.tracing.exports.otf2 import otf2_lines
from stressbench.tracing.exports.perfetto import perfetto_text
from stressbench.tracing.exports.simgrid_ti import RankActions, idle_rank
from stressbench.tracing.grammar import TooManyCalls
from stressbench.tracing.replay import count, replay_suitability
from stressbench.tracing.schedules.refusal import ScheduleRefused
from stressbench.tracing.schedules.sources import Source, of_program
from stressbench.tracing.schedules.survey import Survey, survey
from stressbench.tracing.schedules.tags import Tags

WORKLOAD_SUFFIX = ".sb"
"""Ends the names of workloads; every other file is read as a trace."""
_BATCH = 4096  # lines
TI_LIST = "ranks.txt"
"""File with the names of the ranks' files, for `smpirun -replay`."""


def export_trace(path: Path, *, export_format: ExportFormat, output: Path) -> Export:
    """Write the calls of the trace at `path` to `output`, a file or a new directory.

    Must be called in the main thread. Raises TraceFileError, UserError if the calls have no schedule or `output` cannot
    be written, and MachineFault.
    """
    writer = _WRITERS[export_format]
    writer.check(output)
    with _refusals(path), handled_by(_interrupt):
        trace = read_trace(path)
        if refusals := replay_suitability(trace).refusals:
            raise UserError(*(f"{path}: {refusal}" for refusal in refusals))
        return _write(of_program(trace), export_format=export_format, output=output)


def export_workload(
    path: Path, launch: WorkloadRanks, *, export_format: ExportFormat, output: Path, engine: Path | None = None,
    progress: Progress = silent,
) -> Export:  # fmt: skip
    """Write the calls of all jobs of the workload at `path`, at the same time and placed as in a run, to `output`.

    Must be called in the main thread. Raises UserError, EngineFailed and MachineFault.
    """
    for name, value in (("--ranks", launch.ranks), ("--ranks-per-node", launch.ranks_per_node)):
        if value is not None and not 0 < value <= MAX_RANKS:
            raise UserError(f"{name}: {value}: expected 1 to {MAX_RANKS}")
    if launch.repetitions is not None and launch.repetitions < 1:
        raise UserError(f"--repetitions: {launch.repetitions}: expected 1 or more")
    _WRITERS[export_format].check(output)
    found = find_engine(explicit=engine, environment=os.environ)
    with _refusals(path), scratch_directory("export") as folder:
        source = of_workload(path, launch, engine=found, folder=folder, progress=progress)
        return _write(source, export_format=export_format, output=output)


def _write(source: Source, *, export_format: ExportFormat, output: Path) -> Export:
    found = survey(source)
    try:
        _WRITERS[export_format].write(found, output)
    except OSError as fault:
        raise UserError(f"--output: {output}: {reason_of(fault)}") from fault
    return summary_of(found, export_format=export_format, path=output)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    """`check`: raises UserError if `output` cannot be written."""

    check: Callable[[Path], None]
    write: Callable[[Survey, Path], None]


def _check_file(output: Path) -> None:
    try:
        require_output(output)
    except OSError as fault:
        raise UserError(f"--output: {output}: {reason_of(fault)}") from fault


def _check_otf2(output: Path) -> None:
    require_new_directory(output)
    otf2_python()


def _write_goal(found: Survey, output: Path) -> None:
    jobs = tuple(
        f"job {job.name}: {count(len(job.ranks), 'rank')}, {count(job.repetitions, 'repetition')}"
        for job in found.source.jobs
    )
    with new_output(output) as file:
        _write_lines(goal_text(found, comments=("stressbench trace export --format goal", *jobs)), file.write)


def _write_perfetto(found: Survey, output: Path) -> None:
    with new_output(output) as file:
        _write_lines(perfetto_text(found), file.write)


def _write_otf2(found: Survey, output: Path) -> None:
    with new_output_directory(output) as folder:
        folder.rmdir()  # OTF2 creates it
        write_archive(otf2_python(), folder, otf2_lines(found))


def _write_simgrid_ti(found: Survey, output: Path) -> None:
    tags = Tags(jobs=len(found.source.jobs))
    with new_output_directory(output) as folder:
        names = [f"rank-{rank}.txt" for rank in range(found.source.ranks)]
        (folder / TI_LIST).write_text("".join(f"{name}\n" for name in names), encoding="ascii")
        for name, rank in zip(names, found.source.in_order(), strict=True):
            with (folder / name).open("wb") as file:
                lines = (idle_rank(rank),) if isinstance(rank, int) else RankActions(rank, tags).lines(found)
                _write_lines(lines, file.write)


def _write_lines(lines: Iterable[str], write: Callable[[bytes], object]) -> None:
    batch: list[str] = []
    for line in lines:
        batch.append(line)
        if len(batch) == _BATCH:
            write("".join(batch).encode())
            batch.clear()
    write("".join(batch).encode())


_WRITERS: Mapping[ExportFormat, _Writer] = {
    ExportFormat.goal: _Writer(check=_check_file, write=_write_goal),
    ExportFormat.otf2: _Writer(check=_check_otf2, write=_write_otf2),
    ExportFormat.perfetto: _Writer(check=_check_file, write=_write_perfetto),
    ExportFormat.simgrid_ti: _Writer(check=require_new_directory, write=_write_simgrid_ti),
}


def _interrupt(number: int, frame: object) -> None:  # noqa: ARG001  the signature of signal handlers
    raise KeyboardInterrupt


@contextmanager
def _refusals(source: Path) -> Iterator[None]:
    try:
        yield
    except (ScheduleRefused, TooManyCalls) as fault:
        raise UserError(f"{source}: {fault}") from None
