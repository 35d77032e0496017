"""`stressbench machine compare`: the figures of two machines, with a verdict on each."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.share import share
from stressbench.exit_status import ExitStatus
from stressbench.formats.machines import read_machine
from stressbench.report.machine import comparison_document
from stressbench.report.renderers.text import show
from stressbench.results.machine_comparison import MachineComparison, compare_results

_HELP = """\
Compare two machines, figure by figure: better, worse, same, undecided, or not comparable, with the reason.

Figures are compared if both machines measured the same: suite, motif, ranks, nodes and placement.

\b
Examples:
    stressbench machine compare monday/machine.json friday/machine.json
    stressbench machine compare old new --within 10% --exit-code
    stressbench machine compare old new --json | jq '.figures[] | select(.verdict == "worse") | .name'

Exit status: 0 success; with --exit-code, 1 if a figure of B is worse; 2 a result cannot be read or has changed, or an
option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("compare", help=_HELP)(compare)


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="Baseline: machine.json or its directory.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Machine to compare with it.")],
    within: Annotated[str, typer.Option(metavar="5%", help="Smallest difference of interest.")] = "5%",
    as_json: AsJson = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with status 1 if a figure of B is worse.")
    ] = False,
) -> None:
    """Compare two results and print the verdicts."""
    smallest = share(within, option="--within", zero=True)
    comparison = compare_results(read_machine(a), read_machine(b), within=smallest)
    if as_json:
        print_json(comparison, MachineComparison)
    else:
        show(comparison_document(comparison))
    if exit_code and comparison.is_worse:
        raise typer.Exit(ExitStatus.negative)
