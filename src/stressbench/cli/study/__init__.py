"""`stressbench study`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.console.app import add_group

_HELP = """\
Many runs over a grid of factors, in one directory; a study can be killed at any time and resumed.

\b
    stressbench study list                                   # the shipped studies
    stressbench study plan small                             # the runs in their order
    stressbench study run small -o placement
    stressbench study status placement
    stressbench study watch placement                        # the same as a page, live, with intervals
    stressbench study resume placement                       # after Ctrl-C, a crash, the end of an allocation
    stressbench study report placement -o placement.md
    stressbench study pack placement -o placement.tar.gz     # to share; `study verify` checks it
    stressbench study matrix cg.sb fft.sb output.sb -n 8 -o pairs   # pairwise slowdowns

docs/how-to/studies.md describes study files; schema/study.schema.json is their JSON Schema.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="study", about=_HELP)
