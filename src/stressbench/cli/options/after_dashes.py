"""Commands whose words after `--` do not belong to their own arguments."""

from typing import Any

import typer
from typer.core import TyperCommand

_META_KEY = "stressbench.after_dashes"


def split_at_dashes(usage: str) -> type[TyperCommand]:
    """The class of a command that sets the words after `--` aside; `usage` describes them in the usage line.

    Without it, they would be added to the arguments before `--`, so that a surplus argument would not be an error.
    """

    class SplitAtDashes(TyperCommand):
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Parse the words before `--`, and keep the others for `words_after_dashes`."""
            if "--" in args:
                index = args.index("--")
                ctx.meta[_META_KEY] = tuple(args[index + 1 :])
                args = args[:index]
            return super().parse_args(ctx, args)

        def collect_usage_pieces(self, ctx: Any) -> list[str]:
            """The usage line, with the words after `--` at its end."""
            return [*super().collect_usage_pieces(ctx), usage]

    return SplitAtDashes


def words_after_dashes(context: typer.Context) -> tuple[str, ...]:
    """The words after `--` of a command whose class is from `split_at_dashes`; none without `--`."""
    words: tuple[str, ...] = context.meta.get(_META_KEY, ())
    return words
