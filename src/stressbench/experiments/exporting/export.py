"""`export_trace` writes the calls of a trace in the format of another tool."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.exporting.summary import Export, ExportFormat, summary_of
from stressbench.formats.errors import reason_of
from stressbench.formats.files import new_output, require_output
from stressbench.formats.trace import read_trace
from stressbench.tracing.exports.goal import goal_text
from stressbench.tracing.grammar import TooManyCalls
from stressbench.tracing.replay import replay_suitability
from stressbench.tracing.schedules.refusal import ScheduleRefused
from stressbench.tracing.schedules.sources import Source, of_program
from stressbench.tracing.schedules.survey import Survey, survey

_BATCH = 4096  # lines


def export_trace(path: Path, *, export_format: ExportFormat, output: Path) -> Export:
    """Write the calls of the trace at `path` to `output`, a file or a new directory.

    Raises TraceFileError, and UserError if the calls have no schedule or `output` cannot be written.
    """
    with _refusals(path):
        trace = read_trace(path)
        if refusals := replay_suitability(trace).refusals:
            raise UserError(*(f"{path}: {refusal}" for refusal in refusals))
        return _write(of_program(trace), export_format=export_format, output=output)


def _write(source: Source, *, export_format: ExportFormat, output: Path) -> Export:
    try:
        require_output(output)
        found = survey(source)
        _WRITERS[export_format](found, output)
    except OSError as fault:
        raise UserError(f"--output: {output}: {reason_of(fault)}") from fault
    return summary_of(found, export_format=export_format, path=output)


def _write_goal(found: Survey, output: Path) -> None:
    _write_lines(goal_text(found, comments=tuple(f"{job.name}" for job in found.source.jobs)), output)


def _write_lines(lines: Iterable[str], output: Path) -> None:
    with new_output(output) as file:
        batch: list[str] = []
        for line in lines:
            batch.append(line)
            if len(batch) == _BATCH:
                file.write("".join(batch).encode())
                batch.clear()
        file.write("".join(batch).encode())


_WRITERS: Mapping[ExportFormat, Callable[[Survey, Path], None]] = {ExportFormat.goal: _write_goal}


@contextmanager
def _refusals(source: Path) -> Iterator[None]:
    try:
        yield
    except (ScheduleRefused, TooManyCalls) as fault:
        raise UserError(f"{source}: {fault}") from None
