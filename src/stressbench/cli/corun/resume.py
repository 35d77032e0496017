"""`stressbench corun resume`: continue a co-run."""

import typer

from stressbench.cli.console.coruns import print_and_exit
from stressbench.cli.options.common import Engine
from stressbench.cli.options.corun import EXIT_STATUS, Folder, TimeLimit
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.console import emit
from stressbench.experiments.corun.resuming import resume_corun
from stressbench.formats.launches.journal import FILE
from stressbench.launch.option_values import optional_seconds

_HELP = f"""\
Continue a co-run after Ctrl-C, kill -9, a crash, a failed program, or the end of an allocation.

DIR was written by `stressbench corun run -o DIR` or `stressbench corun matrix -o DIR`, and has their options. What it
holds is kept, and the periods that are missing are measured. Start it in the same directory as before, with the same
hosts and cores. If a program was ended at the time limit, give a longer one.

\b
Examples:
    stressbench corun resume both
    stressbench corun resume both --time-limit 10min
    stressbench corun resume pairs --json | jq .complete

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("resume", help=_HELP)(resume)


@with_options
def resume(
    *, folder: Folder, time_limit: TimeLimit = None, figures: FigureFiles, as_json: AsJson = False,
    engine: Engine = None,
) -> None:  # fmt: skip
    """Measure what is missing in `folder`, and print the slowdowns."""
    figures.check()
    limit_s = optional_seconds(time_limit, option="--time-limit")
    result = resume_corun(folder, limit_s=limit_s, engine=engine, progress=emit)
    print_and_exit(result, figures, sources=(folder / FILE,), as_json=as_json)
