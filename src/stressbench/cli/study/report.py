"""`stressbench study report`: the results of a study."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named, write_data
from stressbench.cli.options.documents import DataFolder, OutputFile, format_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.impact_checks import ImpactChecks
from stressbench.cli.options.study import Folder
from stressbench.cli.options.verdicts import (
    BUSY_SHARE,
    LIMITS,
    BusyAbove,
    SlowedAbove,
    TailAbove,
    TopologyWord,
    verdict_options,
)
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.results import results_of
from stressbench.formats.files import recorded_reads
from stressbench.report.study import page
from stressbench.report.study.formats import FORMATS, checked

_HELP = """\
Report the results of a study so far: times of each job in each cell, and the congestion impact with its 95 % interval.

The report begins with which jobs are slowed in which cells, by how much, where, how much longer tails are, and what to
do next; the HTML page also with a picture of the network in the cell with the largest slowdown.

Runs of a cell are combined: with 6 or more, the interval is that of the impacts of runs; with fewer, it is that of all
their blocks. Failed runs are listed. --format summary prints at most ten lines, --figures writes the figures of the
HTML page as files. --junit writes a test for each job of each cell, its congestion impact and its tails, which fails if
the 95 % interval lies above --slowed-above or --tail-above, and is skipped if it contains that limit.

\b
Examples:
    stressbench study report placement
    stressbench study report placement --format csv -o placement.csv
    stressbench study report placement -o placement.tex --format latex
    stressbench study report placement --format html -o placement.html
    stressbench study report placement --format summary
    stressbench study report placement --figures figures
    stressbench study report placement --data numbers
    stressbench study report placement --junit report.xml --exit-code
    stressbench study report placement --slowed-above 1.02 --topology /etc/slurm/topology.conf
    stressbench study report placement --format json | jq '.verdicts.jobs[] | select(.verdict == "slowed")'

Exit status: 0 success; with --exit-code, 1 if a job is slowed or a tail longer; 2 DIR has no study, a file cannot be
read or written, or an option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


@with_options
def report(
    *,
    folder: Folder,
    kind: Annotated[str, format_option(FORMATS)] = "md",
    output: OutputFile = None,
    data: DataFolder = None,
    figures: FigureFiles,
    checks: ImpactChecks,
    topology: TopologyWord = None,
    slowed_above: SlowedAbove = LIMITS.slowed_above,
    tail_above: TailAbove = LIMITS.tail_above,
    busy_above: BusyAbove = BUSY_SHARE,
) -> None:
    """Print or write the results of the study in `folder`."""
    render = renderer_named(kind, FORMATS)
    options = verdict_options(topology, slowed_above=slowed_above, tail_above=tail_above, busy_above=busy_above)
    figures.check()
    with recorded_reads() as sources:
        report, study_data = results_of(open_directory(folder), page=output)
    print_or_write(render(report, study_data, options), output)
    if data is not None:
        from stressbench.report.export import write_tables  # figures take a second to import

        write_data(lambda: write_tables(page(report, study_data, options).data_files, data), data)
    figures.write(lambda: page(report, study_data, options), sources=sources)
    checks.carry_out(lambda: checked(report, options.limits))
