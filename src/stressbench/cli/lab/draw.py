"""`stressbench lab draw`: a lab as an SVG drawing."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write
from stressbench.experiments.lab import LOAD_INTERVAL_S, MAX_LOAD_INTERVAL_S, draw_lab
from stressbench.labs.priority import raise_priority

_HELP = """\
Draw a lab as SVG: its topology and, if it is up, the load of each direction of each link.

\b
Examples:
    stressbench lab draw                     # the lab that is up
    stressbench lab draw tinis -o tinis.svg  # up or not
    stressbench lab draw my-cluster.toml

Exit status: 0 success, 2 invalid input, 3 the machine refused a step.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("draw", help=_HELP)(draw)


def draw(
    what: Annotated[str | None, typer.Argument(metavar="NAME|FILE.toml", help="Default: the lab that is up.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.svg", help="Output file; default: the name of the lab with .svg."),
    ] = None,
    interval: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.1, max=MAX_LOAD_INTERVAL_S, help="Interval over which loads are measured."
        ),
    ] = LOAD_INTERVAL_S,
) -> None:
    """Draw the lab and write the SVG file."""
    raise_priority()
    name, picture = draw_lab(what, interval_s=interval)
    print_or_write(picture, output or Path(f"{name}.svg"))
