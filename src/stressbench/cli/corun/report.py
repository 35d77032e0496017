"""`stressbench corun report`: the slowdowns in a directory of co-runs."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named
from stressbench.cli.options.corun import Folder
from stressbench.cli.options.documents import OutputFile, format_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.experiments.corun.results import corun_results
from stressbench.formats.files import recorded_reads
from stressbench.report.coruns import FORMATS, page

_HELP = """\
Report how much each program of a co-run is slowed by the others, with 95 % intervals, and the busiest links.

DIR was written by `stressbench corun -o DIR` or `stressbench corun matrix -o DIR`; of one that was interrupted, the
blocks so far are reported.

\b
Examples:
    stressbench corun report both
    stressbench corun report pairs --format html -o pairs.html
    stressbench corun report pairs --figures figures
    stressbench corun report pairs --format csv | sort -t, -k8 -g
    stressbench corun report pairs --format json | jq '.slowdowns[] | select(.slowdown.low > 1)'

Exit status: 0 success, 2 DIR has no co-runs.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


@with_options
def report(
    *, folder: Folder, kind: Annotated[str, format_option(FORMATS)] = "text", output: OutputFile = None,
    figures: FigureFiles,
) -> None:  # fmt: skip
    """Print or write the slowdowns measured in `folder`."""
    render = renderer_named(kind, FORMATS)
    figures.check()
    with recorded_reads() as sources:
        results = corun_results(folder)
    print_or_write(render(results), output)
    figures.write(lambda: page(results), sources=sources)
