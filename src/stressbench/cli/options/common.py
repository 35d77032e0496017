"""Options of commands that start ranks: types, and functions for options whose help depends on the command."""

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from stressbench.launch.targets import TARGET_HELP, TARGET_NAMES


def ranks_option(text: str, *, metavar: str = "N") -> Any:
    """The option `-n/--ranks`; `text` is its help, as in all functions of this module."""
    return typer.Option("-n", "--ranks", metavar=metavar, help=text, show_default=False)


def ranks_per_node_option(text: str, *, least: int | None = None) -> Any:
    """The option `--ranks-per-node`, of `least` ranks."""
    return typer.Option("--ranks-per-node", metavar="K", min=least, help=text, show_default=False)


def target_option(text: str, *, show_default: bool = True) -> Any:
    """The option `--on`."""
    return typer.Option("--on", metavar=TARGET_NAMES, help=text, show_default=show_default)


def placement_option(text: str) -> Any:
    """The option `--place`."""
    return typer.Option("--place", metavar="WHERE", help=text)


def seed_option(text: str, *, least: int | None = None) -> Any:
    """The option `--seed`."""
    return typer.Option("--seed", metavar="S", min=least, help=text)


def set_option(text: str, *, metavar: str) -> Any:
    """The option `--set`."""
    return typer.Option("--set", metavar=metavar, help=text)


def time_limit_option(text: str) -> Any:
    """The option `--time-limit`."""
    return typer.Option("--time-limit", metavar="T", help=text)


def verify_option(text: str) -> Any:
    """The option `--verify`."""
    return typer.Option("--verify", help=text)


Engine: TypeAlias = Annotated[
    Path | None,
    typer.Option("--engine", metavar="PATH", help="stressbench-mpi; default: $STRESSBENCH_MPI, or the installed one."),
]
RanksPerNode: TypeAlias = Annotated[
    str | None,
    ranks_per_node_option(
        "Treat every K consecutive ranks as one node, to emulate a larger machine on this one; or the "
        "ranks of all nodes, such as 16(x3),8."
    ),
]
TargetName: TypeAlias = Annotated[str, target_option(f"Launch target, where ranks start. {TARGET_HELP}.")]
