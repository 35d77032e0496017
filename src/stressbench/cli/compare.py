"""`stressbench compare`: compare two runs, job by job."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.share import share
from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.formats.run import read_run
from stressbench.report.comparison import document_of
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show
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
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write JUnit XML, with one test for each job and quantity.")
    ] = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with status 1 if a time of B is slower.")
    ] = False,
) -> None:
    """Compare two run files and print the verdicts."""
    comparison = compare(read_run(a), read_run(b), effect=share(effect, option="--effect", zero=True), force=force)
    if junit is not None:
        _write(junit, render("junit", document_of(comparison)))
    if as_json:
        print_json(comparison, Comparison)
    else:
        show(document_of(comparison))
    if exit_code and comparison.slower:
        raise typer.Exit(ExitStatus.negative)


def _write(path: Path, content: str) -> None:
    try:
        write_output(path, content)
    except OSError as fault:
        raise UserError(f"--junit {path}: {reason_of(fault)}") from fault
