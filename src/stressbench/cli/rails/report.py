"""`stressbench rails report`: results under each rail policy, and the bytes that each NIC carried."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named
from stressbench.cli.options.documents import OutputFile, WithMotifs, format_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.rounds import RoundKind
from stressbench.experiments.sweep.rails.results import rail_results
from stressbench.formats.files import recorded_reads
from stressbench.report.rails import FORMATS, page

_HELP = """\
Report the times or figures of merit under each policy as box plots, their ratios to the default with 95 % intervals,
bandwidth by message size, and the bytes that each NIC carried next to those that the policy assigned to it.

DIR was written by `rails run`, or is any study with the factor `policy`.

\b
Examples:
    stressbench rails report dual
    stressbench rails report dual --motifs --format csv -o dual.csv
    stressbench rails report apart --time contended --format html -o apart.html
    stressbench rails report dual --figures figures
    stressbench profile -o amg.json mpirun -n 4 ./amg && stressbench rails report amg --profile amg.json
    stressbench rails report dual --format json | jq '.carried[] | {policy, job, loads}'

Exit status: 0 success, 2 DIR has no such study or an option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


@with_options
def report(
    *,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Directory of `rails run`.", show_default=False)],
    kind: Annotated[str, format_option(FORMATS)] = "text",
    motifs: WithMotifs = False,
    time: RoundKind = None,
    profiles: Annotated[
        list[Path] | None,
        typer.Option(
            "--profile",
            metavar="FILE",
            help="A .json file of `stressbench profile`, or a .trace file; can be repeated.",
        ),
    ] = None,
    output: OutputFile = None,
    figures: FigureFiles,
) -> None:
    """Print or write the results under each policy of the measurements in `folder`."""
    render = renderer_named(kind, FORMATS)
    figures.check()
    with recorded_reads() as sources:
        results = rail_results(folder, time=time, motifs=motifs, profiles=profiles or ())
    print_or_write(render(results), output)
    figures.write(lambda: page(results), sources=sources)
