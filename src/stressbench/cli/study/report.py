"""`stressbench study report`: what a study found."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import note_files, print_or_write, renderer_named
from stressbench.cli.options.study import Folder
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study_results import results_of
from stressbench.formats.errors import reason_of
from stressbench.formats.study.errors import StudyMistake
from stressbench.report.study import FORMATS, page
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData

_FORMATS = tuple(FORMATS)
_HELP = """\
Tell what a study found so far: per cell and job the times, and the congestion impact with its 95 % interval.

Runs of a cell are taken together: with 6 of them or more the interval is that of the runs' own impacts, with fewer that
of all their blocks. What failed is named.

\b
Examples:
    stressbench study report placement
    stressbench study report placement --format csv -o placement.csv
    stressbench study report placement -o placement.tex --format latex
    stressbench study report placement --format html -o placement.html
    stressbench study report placement --data numbers
    stressbench study report placement --format json | jq '.cells[] | {values, jobs}'

Exit status: 0, 2 where DIR holds no study.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


def report(
    folder: Folder,
    kind: Annotated[str, typer.Option("--format", metavar="|".join(_FORMATS), help="How to tell it.")] = "md",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Default: standard output.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write what the page's figures are drawn from into this folder, too."),
    ] = None,
) -> None:
    """Read all, tell it."""
    render = renderer_named(kind, FORMATS)
    report, material = results_of(open_directory(folder))
    print_or_write(render(report, material), output)
    if data is not None:
        _write_data(report, material, data)


def _write_data(report: StudyReport, material: StudyData, folder: Path) -> None:
    from stressbench.report.export import write_tables  # figures take a second to import

    try:
        note_files(write_tables(page(report, material).numbers, folder), folder)
    except OSError as fault:
        raise StudyMistake(f"--data: {fault.filename}: {reason_of(fault)}") from fault
