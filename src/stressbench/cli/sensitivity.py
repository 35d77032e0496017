"""`stressbench sensitivity`: show sensitivity profiles."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named
from stressbench.cli.options.documents import OutputFile, format_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.profile_selection import WHICH_PROFILES, Profiles, SelectionOptions
from stressbench.formats.files import recorded_reads
from stressbench.report.interference import FORMATS, page, profile_report

_HELP = f"""\
Show profiles: latencies on the idle machine and while the application runs, the utilisation of the switch and its
phases, the utilisation and the application's slowdown at each congestion level, and the share of each link used.

`stressbench impact` and `stressbench compress` write profiles; nothing is measured here.

\b
Examples:
    stressbench sensitivity hpcc.json
    stressbench sensitivity hpcc.json --format html -o hpcc.html
    stressbench sensitivity --store profiles --machine lab-tiny --format html -o all.html
    stressbench sensitivity cg fft --store profiles --format csv -o levels.csv
    stressbench sensitivity hpcc.json --figures figures
    stressbench sensitivity hpcc.json --format json | jq '.[0].phases'

{WHICH_PROFILES}
Exit status: 0 success, 2 invalid input.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("sensitivity", help=_HELP, no_args_is_help=True)(sensitivity)


@with_options
def sensitivity(
    *, words: Profiles = None, selection: SelectionOptions,
    kind: Annotated[str, format_option(FORMATS)] = "text",
    output: OutputFile = None, figures: FigureFiles,
) -> None:  # fmt: skip
    """Print the selected profiles in the chosen format, or write them to a file."""
    render = renderer_named(kind, FORMATS)
    figures.check()
    with recorded_reads() as sources:
        reports = [profile_report(one) for one in selection.profiles(words)]
    print_or_write(render(reports), output)
    figures.write(lambda: page(reports), sources=sources)
