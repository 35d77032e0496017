"""`stressbench trace diff`: where two captures part."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter

from stressbench.cli.following import stop
from stressbench.console import echo
from stressbench.formats.trace import TraceFileError, read_trace
from stressbench.report.terminal import print_difference, standard_output
from stressbench.tracing.diff import CONTEXT, Difference, diff
from stressbench.tracing.grammar import TooManyCalls
from stressbench.tracing.tokens import TokenStyle

_DIFFERENT = 1
_HELP = """\
Compare two captures rank by rank: where the order of calls first differs, and how the totals of each call differ.

Times and call sites are not compared. What a faithful replay cannot share is not counted as a difference either: a
receive from any source equals one from the sender that came, and calls that make a communicator are equal when the
communicators are of one size. --exact counts both. Sequences are compared without being expanded.

\b
Examples:
    stressbench trace diff cg.trace replayed.trace
    stressbench trace diff --exact monday.trace friday.trace
    stressbench trace diff cg.trace replayed.trace --json | jq '.sequences[].place'

Exit status: 0 the same, 1 something differs or could not be compared, 2 a file cannot be read.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("diff", help=_HELP)(show_difference)


def show_difference(
    a: Annotated[Path, typer.Argument(metavar="A.trace", help="One capture.")],
    b: Annotated[Path, typer.Argument(metavar="B.trace", help="The other.")],
    exact: Annotated[bool, typer.Option("--exact", help="Any-source receives and communicators as called.")] = False,
    context: Annotated[int, typer.Option(metavar="N", min=1, help="Calls shown on both sides.")] = CONTEXT,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Read, compare, print."""
    try:
        first, second = read_trace(a), read_trace(b)
        for trace in (first, second):
            trace.require_whole()
        found = diff(first, second, style=TokenStyle.exact if exact else TokenStyle.replayed, context=context)
    except TooManyCalls as fault:
        raise stop(f"{a} or {b}: {fault}") from None
    except TraceFileError as fault:
        raise stop(str(fault)) from None
    if as_json:
        echo(TypeAdapter(Difference).dump_json(found, indent=2))
    else:
        print_difference(found, console=standard_output())
    raise typer.Exit(0 if found.same else _DIFFERENT)
