"""`stressbench study`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.app import add_group

_HELP = """\
Many runs over a grid of factors, in one directory that may be killed at any moment and goes on where it was.

\b
    stressbench study list                                   # those that ship
    stressbench study plan small                             # what would run, in which order
    stressbench study run small -o placement
    stressbench study status placement
    stressbench study resume placement                       # after Ctrl-C, a crash, the end of an allocation
    stressbench study report placement -o placement.md
    stressbench study pack placement -o placement.tar.gz     # to hand on; `study verify` checks it
    stressbench study matrix cg.sb fft.sb output.sb -n 8 -o pairs   # who slows whom

docs/how-to/studies.md tells what a study file holds; schema/study.schema.json tells it to editors.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="study", about=_HELP)
