"""`stressbench lab up`: bring up a lab."""

from typing import Annotated

import typer

from stressbench.cli.options.lab import STATUS
from stressbench.console import note
from stressbench.experiments.lab import bring_up

_HELP = f"""\
Bring up a lab: a shipped one (see `stressbench lab list`) or a lab file.

\b
Examples:
    stressbench lab up tiny
    stressbench lab up my-cluster.toml
    stressbench lab up tiny --name other

I/O nodes ([io] in the file) serve a GlusterFS that all hosts mount, if it is installed (`stressbench lab setup` does
that); otherwise they are plain nodes, and a warning says so.

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
    """Bring up the lab and print the commands to continue with."""
    started = bring_up(what, name=name)
    lab = started.running.lab
    for one in started.unavailable:
        note(f"I/O nodes serve no file system: {one.name} missing: {one.remedy}")
    if started.running.scratch is not None:
        note(f"hosts find the file system of the I/O nodes at {started.running.scratch}")
    note(
        f"lab {lab.name} is up: {len(lab.hosts)} hosts, {len(lab.switches)} switch{'es' * (len(lab.switches) > 1)}, "
        f"{len(lab.links)} links; "
        f"`stressbench run FILE --on lab:{lab.name}`, `stressbench lab down {lab.name}`"
    )
