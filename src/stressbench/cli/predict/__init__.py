"""`stressbench predict`: its subcommands are the modules of this package that have `register`."""

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from stressbench.cli.app import add_group

_HELP = """\
Who slows whom, from profiles of each application alone (`stressbench impact` writes them). Nothing runs.

\b
    stressbench predict cg.json fft.json                               # each beside all the others
    stressbench predict cg fft --store profiles --machine lab-tiny     # by name
    stressbench predict evaluate profiles --observed co-runs.jsonl     # how far that was right
    stressbench predict place profiles --switches 3 --per-switch 2     # who should share a switch

Without a subcommand `slowdowns` is meant; `stressbench predict slowdowns --help` tells its options.
"""


class _SlowdownsUnlessNamed(TyperGroup):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Words that begin with no subcommand are those of `slowdowns`."""
        named = not args or args[0] in (*self.commands, *ctx.help_option_names)
        return super().parse_args(ctx, args if named else ["slowdowns", *args])


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="predict", about=_HELP, group=_SlowdownsUnlessNamed)
