"""The document of `stressbench study status`: runs by state, failures, and the time left."""

from collections.abc import Iterator

from stressbench.formats.units import duration_text
from stressbench.report.document import Block, Document, Note, Notes, Paragraph, Section
from stressbench.report.units import count
from stressbench.results.study_status import State, StudyStatus


def status_document(status: StudyStatus, *, with_complaints: bool = True) -> Document:
    """How many runs are in each state, the failed runs with reasons, and the time left."""
    return Document(title="", sections=(Section(blocks=tuple(_blocks(status, with_complaints))),), value=status)


def run_blocks(status: StudyStatus) -> Iterator[Block]:
    """How many runs are in each state, and the failed runs with reasons."""
    states = ", ".join(f"{n} {state}" for state in State if (n := sum(one.state is state for one in status.runs)))
    yield Paragraph(text=f"{status.total} runs: {states}")
    for one in status.runs:
        if one.state is State.failed:
            again = "will be tried again" if one.is_open else "given up"
            yield Paragraph(
                text=f"{one.run} failed {count(one.failures, 'time')}, {again}: status {one.status}, {one.reason} "
                f"({one.description})"
            )


def _blocks(status: StudyStatus, with_complaints: bool) -> Iterator[Block]:  # noqa: FBT001  passed on
    yield from run_blocks(status)
    if any(one.is_open for one in status.runs):
        yield Paragraph(text=f"time left: {duration_text(status.left_s)}")
    if with_complaints and status.complaints:
        yield Notes(notes=tuple(Note(text=complaint) for complaint in status.complaints), title="")
