"""`stressbench lab draw`."""

import time
from pathlib import Path
from typing import Annotated

import typer

from stressbench.console import echo
from stressbench.errors import UserError
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.labs.catalog import lab_file
from stressbench.labs.counters import link_directions, read_counters
from stressbench.labs.drawing import draw
from stressbench.labs.file import read_lab
from stressbench.labs.lifecycle import labs_up, selected_lab
from stressbench.labs.priority import raise_priority

_HELP = """\
Draw a lab as SVG: its topology and, where it is up, how loaded each direction of each link is.

\b
Examples:
    stressbench lab draw                     # the lab that is up
    stressbench lab draw tinis -o tinis.svg  # up or not
    stressbench lab draw my-cluster.toml

Exit status: 0; 2 something to put right, 3 the machine refused.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("draw", help=_HELP)(draw_lab)


def draw_lab(
    what: Annotated[str | None, typer.Argument(metavar="NAME|FILE.toml", help="Default: the lab that is up.")] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.svg", help="Default: the lab's name with .svg.")
    ] = None,
    interval: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="How long loads are looked at.")] = 1.0,
) -> None:
    """Look, draw, write."""
    if what is None or what in labs_up():
        running = selected_lab(what)
        raise_priority()
        before = read_counters(running)
        time.sleep(interval)
        loads = link_directions(read_counters(running), before=before)
        lab = running.lab
        picture = draw(lab, loads, seconds=interval)
    else:
        lab = read_lab(lab_file(what))
        picture = draw(lab)
    path = output or Path(f"{lab.name}.svg")
    try:
        write_output(path, picture)
    except OSError as fault:
        raise UserError(f"--output: {path}: {reason_of(fault)}") from fault
    echo(str(path))
