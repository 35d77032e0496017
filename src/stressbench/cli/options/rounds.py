"""Options for rounds and runs, of commands that measure and of commands that report."""

from typing import Annotated, Any, TypeAlias

import typer

from stressbench.formats.run import Kind


def isolated_option(text: str, *, least: int | None = 0, show_default: bool = True) -> Any:
    """The option `--isolated`; `text` is its help, as in all functions of this module."""
    return typer.Option("--isolated", metavar="N", min=least, help=text, show_default=show_default)


def contended_option(text: str, *, least: int | None = 0, show_default: bool = True) -> Any:
    """The option `--contended`."""
    return typer.Option("--contended", metavar="N", min=least, help=text, show_default=show_default)


def runs_option(text: str, *, show_default: bool = True) -> Any:
    """The option `--runs` of a sweep."""
    return typer.Option("--runs", metavar="N", min=1, help=text, show_default=show_default)


def round_kind_option(text: str) -> Any:
    """The option `--time` of a report."""
    return typer.Option("--time", help=text, show_default=False)


RoundKind: TypeAlias = Annotated[
    Kind | None, round_kind_option("Evaluate isolated rounds (default) or contended rounds.")
]
