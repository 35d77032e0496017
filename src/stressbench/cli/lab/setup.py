"""`stressbench lab setup`: packages that labs need."""

from typing import Annotated

import typer

from stressbench.console import error, note
from stressbench.exit_status import ExitStatus
from stressbench.labs.setup import command, install, missing_packages

_HELP = """\
List the packages that labs need and this machine lacks; --install installs them (Debian and Ubuntu, as root).

Most of them are part of every Linux; glusterfs-client provides the file system of I/O nodes. No service is started
outside labs. Kernel features and permissions are tested by `stressbench lab probe`.

\b
Examples:
    stressbench lab setup
    sudo stressbench lab setup --install

Exit status: 0 nothing is missing, 1 something is missing, 2 --install without root, 3 the installation failed.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("setup", help=_HELP)(setup)


def setup(
    should_install: Annotated[bool, typer.Option("--install", help="Install what is missing; needs root.")] = False,
) -> None:
    """List the missing packages, or install them."""
    packages = missing_packages()
    if not packages:
        note("nothing is missing")
        return
    if not should_install:
        error(f"missing: {', '.join(packages)}; as root, `stressbench lab setup --install` runs: {command(packages)}")
        raise typer.Exit(ExitStatus.negative)
    install(packages)
    note(f"installed: {', '.join(packages)}")
