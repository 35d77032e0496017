"""`stressbench machine compare`: the figures of two machines, with a verdict on each."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.verdicts import print_verdicts
from stressbench.cli.options.documents import AsJson, exit_code_option, junit_option
from stressbench.cli.options.share import share
from stressbench.errors import MachineFault
from stressbench.exit_status import ExitStatus
from stressbench.formats.machines import read_machine
from stressbench.report.machine import comparison_document
from stressbench.results.machine_comparison import MachineComparison, compare_results

_HELP = """\
Compare two machines, or one machine at two times, figure by figure: better, worse, same, undecided, or not comparable,
with the reason.

Figures are compared if both machines measured the same: suite, motif, ranks, nodes and placement. Of many intervals,
one in twenty misses by chance: --simultaneous widens them so that all of them together hold with 95 % confidence, and
--confirm wants each difference in a second measurement, too.

\b
Examples:
    stressbench machine compare monday/machine.json friday/machine.json
    stressbench machine compare old new --within 10% --exit-code
    stressbench machine compare baseline tonight --simultaneous --junit compare.xml --exit-code
    stressbench machine compare baseline tonight --confirm tonight-again --exit-code
    stressbench machine compare old new --json | jq '.figures[] | select(.verdict == "worse") | .name'

Exit status: 0 success; with --exit-code, 1 if a figure of B is worse, and 3 if no figure of B can be compared; 2 a
result cannot be read or has changed, a file cannot be written, or an option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("compare", help=_HELP)(compare)


def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="Baseline: machine.json or its directory.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Machine to compare with it.")],
    within: Annotated[str, typer.Option(metavar="5%", help="Smallest difference of interest.")] = "5%",
    simultaneous: Annotated[
        bool, typer.Option("--simultaneous", help="95 % confidence for all intervals together, not for each.")
    ] = False,
    confirm: Annotated[
        Path | None,
        typer.Option(metavar="C", help="Second measurement of B, in which a figure has to be better or worse, too."),
    ] = None,
    as_json: AsJson = False,
    junit: Annotated[Path | None, junit_option("figure")] = None,
    exit_code: Annotated[bool, exit_code_option("Exit with status 1 if a figure of B is worse.")] = False,
) -> None:
    """Compare two results and print the verdicts."""
    smallest = share(within, option="--within", zero=True)
    comparison = compare_results(
        read_machine(a), read_machine(b), within=smallest, simultaneous=simultaneous,
        confirmation=None if confirm is None else read_machine(confirm),
    )  # fmt: skip
    print_verdicts(comparison_document(comparison), comparison, MachineComparison, as_json=as_json, junit=junit)
    if exit_code and not comparison.compares_any:
        raise MachineFault(f"no figure of {b} can be compared with {a}")
    if exit_code and comparison.is_worse:
        raise typer.Exit(ExitStatus.negative)
