"""`stressbench study report`: the results of a study."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named, write_data
from stressbench.cli.options.documents import DataFolder, OutputFile, format_option
from stressbench.cli.options.study import Folder
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.results import results_of
from stressbench.report.study import FORMATS, page

_HELP = """\
Report the results of a study so far: times of each job in each cell, and the congestion impact with its 95 % interval.

Runs of a cell are combined: with 6 or more, the interval is that of the impacts of runs; with fewer, it is that of all
their blocks. Failed runs are listed.

\b
Examples:
    stressbench study report placement
    stressbench study report placement --format csv -o placement.csv
    stressbench study report placement -o placement.tex --format latex
    stressbench study report placement --format html -o placement.html
    stressbench study report placement --data numbers
    stressbench study report placement --format json | jq '.cells[] | {values, jobs}'

Exit status: 0 success, 2 DIR has no study.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


def report(
    folder: Folder,
    kind: Annotated[str, format_option(FORMATS)] = "md",
    output: OutputFile = None,
    data: DataFolder = None,
) -> None:
    """Print or write the results of the study in `folder`."""
    render = renderer_named(kind, FORMATS)
    report, study_data = results_of(open_directory(folder))
    print_or_write(render(report, study_data), output)
    if data is not None:
        from stressbench.report.export import write_tables  # figures take a second to import

        write_data(lambda: write_tables(page(report, study_data).data_files, data), data)
