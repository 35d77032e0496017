"""`stressbench corun`: its subcommands are the modules of this package that have `register`."""

import sys

import typer

from stressbench.cli.console.app import add_group, defaulting_to

_HELP = """\
Run two or more programs at the same time, and measure how much each is slowed by the others.

\b
    stressbench corun -n 4 --on lab:tiny -- ./cg 300 ++ ./ft 64              # two programs beside each other
    stressbench corun -n 2 --on lab:tiny -o both halo.sb -- ./cg 300         # a workload and a program
    stressbench corun matrix -n 2 --on lab:tiny -o all -- ./cg ++ ./ft ++ ./lu   # all pairs
    stressbench corun resume all                                             # continue after an interruption
    stressbench corun report all --format html -o all.html
    stressbench predict evaluate profiles --observed all/observations.jsonl  # predictions next to measurements

The default subcommand is `run`; `stressbench corun run --help` lists its options.
"""


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="corun", about=_HELP, group=defaulting_to("run"))
