"""`stressbench lab`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.app import add_group

_HELP = """\
A small cluster inside this machine: hosts and switches are namespaces, links carry what they are said to carry.

\b
    stressbench lab up tiny
    stressbench run workloads/demo.sb --on lab:tiny
    stressbench lab stats --watch
    stressbench lab down tiny

Nothing of the machine's own network is touched, nothing leaves it, and nothing is left when a lab goes down.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="lab", about=_HELP)
