"""The document of `stressbench trace show`: the ranks of a trace and the structure of calls of one rank."""

from itertools import islice

from stressbench.errors import UserError
from stressbench.formats.trace import Trace
from stressbench.report.document import Document
from stressbench.report.traffic.calls import outline_section, ranks_section
from stressbench.tracing.outline import outline

MAX_LINES = 200
"""Lines of the structure of calls that are shown by default."""
MOST_LINES = 1_000_000
"""The most lines that can be shown: all of them are in memory, and a small trace may have any number."""


def outline_document(trace: Trace, *, rank: int | None = None, lines: int = MAX_LINES) -> Document:
    """The table of ranks and the calls of the first of them or, with `rank`, the calls of that rank only.

    At most `lines` lines of calls are shown for each thread. Raises TraceFileError if there is no such rank, and
    UserError for lines out of range.
    """
    if not 1 <= lines <= MOST_LINES:
        raise UserError(f"--lines: {lines}: expected 1 to {MOST_LINES}")
    sections = [ranks_section(trace)] if rank is None else []
    if rank is not None or trace.positions:
        chosen = trace.rank(trace.positions[0].rank if rank is None else rank)
        for thread, stream in enumerate(chosen.streams_by_thread()):
            found = tuple(islice(outline(chosen, stream), lines + 1))
            sections.append(outline_section(chosen, stream, found[:lines], thread=thread, more=len(found) > lines))
    return Document(title="", sections=tuple(sections))
