"""`stressbench trace diff`: where the calls of two traces differ."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.single import AsJson
from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.formats.trace import read_trace
from stressbench.report.terminal import print_difference, standard_output
from stressbench.tracing.diff import CONTEXT, Difference, diff
from stressbench.tracing.grammar import TooManyCalls
from stressbench.tracing.tokens import TokenStyle

_HELP = """\
Compare two captures rank by rank: where the order of calls first differs, and how the totals of each call differ.

Times and call sites are not compared. By default, a receive from any source equals one from the sender that matched,
and calls that create communicators are equal if the communicators have the same size, since a faithful replay cannot
reproduce either. --exact reports both as differences. Sequences are compared without being expanded.

\b
Examples:
    stressbench trace diff cg.trace replayed.trace
    stressbench trace diff --exact monday.trace friday.trace
    stressbench trace diff cg.trace replayed.trace --json | jq '.sequences[].place'

Exit status: 0 no difference, 1 something differs or cannot be compared, 2 a file cannot be read.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("diff", help=_HELP)(show_difference)


def show_difference(
    a: Annotated[Path, typer.Argument(metavar="A.trace", help="First trace.")],
    b: Annotated[Path, typer.Argument(metavar="B.trace", help="Second trace.")],
    exact: Annotated[
        bool, typer.Option("--exact", help="Compare receives and communicators exactly as called.")
    ] = False,
    context: Annotated[int, typer.Option(metavar="N", min=1, help="Calls shown around a difference.")] = CONTEXT,
    as_json: AsJson = False,
) -> None:
    """Read, compare, print."""
    try:
        first, second = read_trace(a), read_trace(b)
        for trace in (first, second):
            trace.require_whole()
        found = diff(first, second, style=TokenStyle.exact if exact else TokenStyle.replayed, context=context)
    except TooManyCalls as fault:
        raise UserError(f"{a} or {b}: {fault}") from None
    if as_json:
        print_json(found, Difference)
    else:
        print_difference(found, console=standard_output())
    raise typer.Exit(0 if found.same else ExitStatus.negative)
