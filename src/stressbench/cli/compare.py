"""`stressbench compare`: compare two runs, job by job."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.verdicts import print_verdicts
from stressbench.cli.options.documents import AsJson, JunitFile, exit_code_option
from stressbench.cli.options.share import share
from stressbench.exit_status import ExitStatus
from stressbench.formats.run import read_run
from stressbench.report.comparison import document_of
from stressbench.stats import Comparison, compare

_HELP = """\
Compare two runs of the same workload, job by job: slower, faster, no difference, or cannot tell.

\b
Examples:
    stressbench compare before.jsonl after.jsonl
    stressbench compare before.jsonl after.jsonl --effect 5% --exit-code
    stressbench compare before.jsonl after.jsonl --junit compare.xml

Exit status: 0 success; with --exit-code, 1 if a time of B is slower; 2 a file cannot be read or written, an option is
wrong, or the workloads differ.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("compare", help=_HELP)(compare_runs)


def compare_runs(
    a: Annotated[Path, typer.Argument(metavar="A.jsonl", help="Baseline run.")],
    b: Annotated[Path, typer.Argument(metavar="B.jsonl", help="Run to compare with it.")],
    effect: Annotated[str, typer.Option(metavar="2%", help="Smallest relevant change.")] = "2%",
    as_json: AsJson = False,
    force: Annotated[bool, typer.Option("--force", help="Also compare runs of different workloads.")] = False,
    junit: JunitFile = None,
    exit_code: Annotated[bool, exit_code_option("Exit with status 1 if a time of B is slower.")] = False,
) -> None:
    """Compare two run files and print the verdicts."""
    comparison = compare(read_run(a), read_run(b), effect=share(effect, option="--effect", zero=True), force=force)
    print_verdicts(document_of(comparison), comparison, Comparison, as_json=as_json, junit=junit)
    if exit_code and comparison.slower:
        raise typer.Exit(ExitStatus.negative)
