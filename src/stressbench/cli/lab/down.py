"""`stressbench lab down`."""

from typing import Annotated

import typer

from stressbench.cli.lab.common import MISTAKE, STATUS, say, told
from stressbench.lab.lifecycle import down
from stressbench.lab.state import lab_directories

_HELP = f"""\
End labs: their processes, namespaces, interfaces, mounts and files. Also clears what a killed `up` left behind.

{STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("down", help=_HELP)(take_down)


def take_down(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME...", help="Labs.", show_default=False)] = None,
    everything: Annotated[bool, typer.Option("--all", help="All labs of this user.")] = False,
) -> None:
    """One after the other."""
    with told():
        chosen = [slot.name for slot in lab_directories()] if everything else names
    if chosen is None:
        say("which lab? `stressbench lab down NAME`, or --all")
        raise typer.Exit(MISTAKE)
    for name in chosen:
        with told():
            say(f"lab {name} is down" if down(name) else f"lab {name} was not up")
