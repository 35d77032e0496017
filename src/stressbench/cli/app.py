"""Gathers the subcommands: every module of this package that has `register` becomes one by being there."""

from typing import Annotated

import typer

import stressbench.cli
from stressbench import __version__
from stressbench.cli.subcommands import add_commands
from stressbench.console import echo
from stressbench.files import forget_what_stays

_DESCRIPTION = """\
What congestion does to real applications.

StressBench runs communication and storage patterns of several applications, each alone and all together, and says how
much they slow each other down.

Example, three jobs on 8 ranks of this machine:

\b
    stressbench run workloads/demo.sb -n 8 -o demo.jsonl
    stressbench show demo.jsonl
    stressbench report demo.jsonl -o demo.html
"""


def _show_version(asked: bool) -> None:
    if asked:
        echo(f"stressbench {__version__}")
        raise typer.Exit


def build() -> typer.Typer:
    """The command with all its subcommands."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

    @app.callback(help=_DESCRIPTION, no_args_is_help=True)
    def common(
        _version: Annotated[
            bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and stop.")
        ] = False,
    ) -> None:
        forget_what_stays()

    add_commands(app, stressbench.cli)
    return app


def main() -> None:
    """Entry point of `stressbench`."""
    build()(prog_name="stressbench")
