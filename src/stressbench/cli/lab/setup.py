"""`stressbench lab setup`."""

from typing import Annotated

import typer

from stressbench.console import error, note
from stressbench.exit_status import ExitStatus
from stressbench.labs.setup import command, install, missing_packages

_HELP = """\
Say which packages labs lack on this machine, and with --install install them (Debian and Ubuntu, as root).

Most of it is there on every Linux; glusterfs-client brings the file system that I/O nodes serve. No service is started:
what runs, runs inside labs. What a package cannot bring (kernel, permissions) `stressbench lab probe` tells.

\b
Examples:
    stressbench lab setup
    sudo stressbench lab setup --install

Exit status: 0 nothing is missing (any more); 1 something is missing; 2 --install without root, 3 it could not be
installed.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("setup", help=_HELP)(setup)


def setup(
    wanted: Annotated[bool, typer.Option("--install", help="Install what is missing; needs root.")] = False,
) -> None:
    """NicReader, say, install."""
    packages = missing_packages()
    if not packages:
        note("nothing is missing")
        return
    if not wanted:
        error(
            f"missing: {', '.join(packages)}; as root, `stressbench lab setup --install` does this: {command(packages)}"
        )
        raise typer.Exit(ExitStatus.negative)
    install(packages)
    note(f"installed: {', '.join(packages)}")
