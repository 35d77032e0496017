"""`stressbench trace show`: the ranks and calls of a trace."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.console import warning
from stressbench.experiments.trace_outline import MAX_LINES, MOST_LINES, outline_document
from stressbench.formats.trace import read_trace
from stressbench.report.renderers.text import show as print_document
from stressbench.report.traffic import document as documents
from stressbench.tracing.profile import profile_of

_HELP = """\
Show a trace: what ran, what each rank did, and the order of calls with its loops.

A call is written as in `Is>1:2:19400`: operation, partner, tag, bytes. Ranks are those of MPI_COMM_WORLD. Wa(2) waits
for two requests; Allreduce[SUM]:8@4 reduces 8 bytes over 4 ranks. The complete part of a truncated file is shown.

\b
Examples:
    stressbench trace show cg.trace
    stressbench trace show cg.trace --rank 3 --lines 1000
    stressbench trace show cg.trace --profile

Exit status: 0 success, 2 the file cannot be read.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("show", help=_HELP)(show)


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE.trace", help="Trace file.")],
    rank: Annotated[int | None, typer.Option(metavar="R", help="Rank whose calls are shown; default: 0.")] = None,
    lines: Annotated[
        int, typer.Option(metavar="N", min=1, max=MOST_LINES, help="Largest number of lines of the call structure.")
    ] = MAX_LINES,
    profile: Annotated[bool, typer.Option("--profile", help="Print the tables of `stressbench profile`.")] = False,
) -> None:
    """Print the ranks and call structure of a trace, or the tables of its profile."""
    trace = read_trace(file)
    if profile:
        print_document(documents.brief(profile_of(trace)))
    else:
        if trace.truncated:
            warning(f"the file is cut off: {len(trace.positions):,} of {trace.header.ranks:,} ranks are whole")
        print_document(outline_document(trace, rank=rank, lines=lines))
