"""`stressbench trace show`: what a trace holds."""

from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.following import say, stop
from stressbench.cli.profile import write
from stressbench.formats.trace import Trace, TraceFileError, read_trace
from stressbench.report.terminal import print_outline, print_ranks, standard_output
from stressbench.tracing.outline import outline

_LINES = 200
_HELP = """\
Show a trace: what ran, what each rank did, and the order of calls with its loops.

A call is spelled as in `Is>1:2:19400`: operation, partner, tag, bytes. Ranks are those of MPI_COMM_WORLD. Wa(2) waits
for two requests; Allreduce[SUM]:8@4 reduces 8 bytes over 4 ranks. A file that is cut off is shown as far as it goes.

\b
Examples:
    stressbench trace show cg.trace
    stressbench trace show cg.trace --rank 3 --lines 1000
    stressbench trace show cg.trace --profile

Exit status: 0 shown, 2 the file cannot be read.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("show", help=_HELP)(show)


def show(
    file: Annotated[Path, typer.Argument(metavar="FILE.trace", help="What was captured.")],
    rank: Annotated[int | None, typer.Option(metavar="R", help="The order of this rank's calls; default: 0.")] = None,
    lines: Annotated[int, typer.Option(metavar="N", min=1, help="At most so many lines of structure.")] = _LINES,
    profile: Annotated[bool, typer.Option("--profile", help="The tables of `stressbench profile`.")] = False,
) -> None:
    """Read and print."""
    try:
        trace = read_trace(file)
        if profile:
            write(trace, output=None, as_json=False)
            return
        _show(trace, rank=rank, lines=lines)
    except TraceFileError as fault:
        raise stop(str(fault)) from None


def _show(trace: Trace, *, rank: int | None, lines: int) -> None:
    console = standard_output()
    if rank is None:
        print_ranks(trace, console=console)
    if trace.cut_off:
        say(f"warning: the file is cut off: {len(trace.places):,} of {trace.header.ranks:,} ranks are whole")
    if rank is None and not trace.places:
        return
    chosen = trace.rank(trace.places[0].rank if rank is None else rank)
    for thread, stream in enumerate(chosen.threads_apart()):
        found = tuple(islice(outline(chosen, stream), lines + 1))
        print_outline(chosen, stream, found[:lines], thread=thread, more=len(found) > lines, console=console)
