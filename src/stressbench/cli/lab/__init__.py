"""`stressbench lab`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.console.app import add_group

_HELP = """\
A virtual cluster on this machine: hosts and switches are network namespaces, and links have the rates of a lab file.

\b
    stressbench lab up tiny
    stressbench run workloads/demo.sb --on lab:tiny
    stressbench lab stats --watch
    stressbench lab down tiny

The machine's own network is not touched, no traffic leaves the lab, and nothing remains after `lab down`.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="lab", about=_HELP)
