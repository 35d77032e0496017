"""`stressbench lab exec` and `stressbench lab shell`: a command or a shell on a host of a lab."""

import os
from typing import Annotated

import typer

from stressbench.cli.options.lab import LabName
from stressbench.errors import UserError
from stressbench.labs.lifecycle import command_prefix, selected_lab

_EXEC = """\
Run a command on a host (or a switch) of a lab, in the current directory. Its exit status is passed on.

\b
Examples:
    stressbench lab exec h0 -- ping -c 3 h3
    stressbench lab exec h0 -- mpirun --host h0,h1,h2,h3 ./app
    stressbench lab exec --lab tinis io0 -- ip addr

`mpirun` of Open MPI and MPICH knows the hosts and links of the lab.

Exit status: that of CMD; 2 no such lab or host, 127 no such command.
"""


def register(app: typer.Typer) -> None:
    """Add both subcommands."""
    app.command("exec", help=_EXEC, context_settings={"allow_interspersed_args": False})(run_inside)
    app.command("shell", help="Open a shell on a host of a lab; it ends when the lab goes down.")(shell)


Host = Annotated[str, typer.Argument(metavar="HOST", help="A host, an I/O node or a switch.", show_default=False)]


def run_inside(
    host: Host,
    command: Annotated[list[str], typer.Argument(metavar="[--] CMD...", help="A command.", show_default=False)],
    lab: LabName = None,
) -> None:
    """Replace this process by the command on the host, whose exit status is thus passed on."""
    words = command[1:] if command[0] == "--" else command
    if not words:
        raise UserError("CMD is missing: `stressbench lab exec HOST -- CMD...`")
    _exec_on_host(lab, host, words)


def shell(host: Host, lab: LabName = None) -> None:
    """Replace this process by the user's shell on the host."""
    _exec_on_host(lab, host, [os.environ.get("SHELL", "/bin/sh")])


def _exec_on_host(lab: str | None, host: str, command: list[str]) -> None:
    prefix = command_prefix(selected_lab(lab), host)
    os.execv(prefix[0], [*prefix, *command])
