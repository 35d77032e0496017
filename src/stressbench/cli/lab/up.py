"""`stressbench lab up`."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.lab.common import STATUS, say, told
from stressbench.lab.bringing import bring_up
from stressbench.lab.catalog import lab_file

_HELP = f"""\
Bring a lab up: one that ships (`stressbench lab list` names them) or a file.

\b
Examples:
    stressbench lab up tiny
    stressbench lab up my-cluster.toml
    stressbench lab up tiny --name other

{STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("up", help=_HELP)(up)


def up(
    what: Annotated[str, typer.Argument(metavar="NAME|FILE.toml", help="A shipped lab, or a lab file.")],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="Its name while it is up; default: the file's.")
    ] = None,
) -> None:
    """Read, build, say what to do next."""
    with told():
        path = lab_file(what)
        running = bring_up(path, name=name or Path(path).stem)
    lab = running.lab
    if lab.io is not None:
        say(f"note: {', '.join(lab.io.nodes)} do not serve {lab.io.path} yet; they are plain nodes of the network")
    say(
        f"lab {lab.name} is up: {len(lab.hosts)} hosts, {len(lab.switches)} switch{'es' * (len(lab.switches) > 1)}, "
        f"{len(lab.links)} links; "
        f"`stressbench run FILE --on lab:{lab.name}`, `stressbench lab down {lab.name}`"
    )
