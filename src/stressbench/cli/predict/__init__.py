"""`stressbench predict`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.console.app import add_group, defaulting_to

_HELP = """\
Predict how much applications slow each other down, from a profile of each application (`stressbench impact` and
`stressbench compress` write them). Nothing is run.

\b
    stressbench predict cg.json fft.json                               # each with all the others
    stressbench predict cg fft --store profiles --machine lab-tiny     # by name
    stressbench predict evaluate profiles --observed co-runs.jsonl     # compare with measurements
    stressbench predict place profiles --switches 3 --per-switch 2     # which should share a switch

The default subcommand is `slowdowns`; `stressbench predict slowdowns --help` lists its options.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="predict", about=_HELP, group=defaulting_to("slowdowns"))
