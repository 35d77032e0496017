"""`stressbench trace diff`: where the calls of two traces differ."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.exit_status import ExitStatus
from stressbench.experiments.traces import trace_difference
from stressbench.report.renderers.text import show
from stressbench.report.traffic.calls import difference_document
from stressbench.tracing.diff import CONTEXT, MAX_CONTEXT, Difference

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
    context: Annotated[
        int, typer.Option(metavar="N", min=1, max=MAX_CONTEXT, help="Calls shown around a difference.")
    ] = CONTEXT,
    as_json: AsJson = False,
) -> None:
    """Compare two traces, print the differences, and exit with 1 if there are any."""
    difference = trace_difference(a, b, exact=exact, context=context)
    if as_json:
        print_json(difference, Difference)
    else:
        show(difference_document(difference))
    raise typer.Exit(0 if difference.same else ExitStatus.negative)
