"""`stressbench predict`: its subcommands are the modules of this package that have `register`."""

import sys
from typing import Any

import typer
from typer.core import TyperGroup

from stressbench.cli.console.app import add_group

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


class _DefaultsToSlowdowns(TyperGroup):
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Pass arguments that do not begin with a subcommand to `slowdowns`."""
        is_named = not args or args[0] in (*self.commands, *ctx.help_option_names)
        return super().parse_args(ctx, args if is_named else ["slowdowns", *args])


def register(app: typer.Typer) -> None:
    """Add the group with its subcommands."""
    add_group(app, sys.modules[__name__], name="predict", about=_HELP, group=_DefaultsToSlowdowns)
