"""Options that several commands have: types of options, and functions for options whose help depends on the command."""

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from stressbench.launch.targets import TARGET_HELP, TARGET_NAMES


def json_option(text: str) -> Any:
    """The option `--json`; `text` is its help, as in all functions of this module."""
    return typer.Option("--json", help=text)


def ranks_option(text: str, *, metavar: str = "N") -> Any:
    """The option `-n/--ranks`."""
    return typer.Option("-n", "--ranks", metavar=metavar, help=text, show_default=False)


def ranks_per_node_option(text: str, *, least: int | None = None) -> Any:
    """The option `--ranks-per-node`, of `least` ranks."""
    return typer.Option("--ranks-per-node", metavar="K", min=least, help=text, show_default=False)


def target_option(text: str, *, show_default: bool = True) -> Any:
    """The option `--on`."""
    return typer.Option("--on", metavar=TARGET_NAMES, help=text, show_default=show_default)


def verify_option(text: str) -> Any:
    """The option `--verify`."""
    return typer.Option("--verify", help=text)


AsJson: TypeAlias = Annotated[bool, json_option("JSON output; times in seconds, unknown is null.")]
Engine: TypeAlias = Annotated[
    Path | None,
    typer.Option("--engine", metavar="PATH", help="stressbench-mpi; default: $STRESSBENCH_MPI, or the installed one."),
]
RanksPerNode: TypeAlias = Annotated[
    int | None,
    ranks_per_node_option("Treat every K consecutive ranks as one node, to emulate a larger machine on this one."),
]
TargetName: TypeAlias = Annotated[str, target_option(f"Launch target, where ranks start. {TARGET_HELP}.")]
