"""`stressbench lab down`: take labs down."""

from typing import Annotated

import typer

from stressbench.cli.options.lab import STATUS
from stressbench.console import note
from stressbench.errors import UserError
from stressbench.labs.lifecycle import down
from stressbench.labs.state import lab_directories

_HELP = f"""\
Take labs down: their processes, namespaces, interfaces, mounts and files. Also removes what a killed `up` left behind.

{STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("down", help=_HELP)(take_down)


def take_down(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Labs.", show_default=False)] = None,
    all_labs: Annotated[bool, typer.Option("--all", help="All labs of this user.")] = False,
) -> None:
    """Take the labs down one after the other."""
    selected = [slot.name for slot in lab_directories()] if all_labs else names
    if selected is None:
        raise UserError("NAME is missing: `stressbench lab down NAME`, or --all")
    for name in selected:
        note(f"lab {name} is down" if down(name) else f"lab {name} was not up")
