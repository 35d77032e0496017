"""`stressbench trace`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.console.app import add_group

_HELP = """\
Inspect trace files of `stressbench capture`, `record` and `profile -o FILE.trace`.

\b
    stressbench trace show cg.trace --rank 0
    stressbench trace diff cg.trace replayed.trace
    stressbench trace export --profile cg.trace -o cg.json
    stressbench trace levels amg.trace -o amg.levels
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="trace", about=_HELP)
