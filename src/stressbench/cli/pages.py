"""`--report FILE.html` of commands that also print: checked before anything is read or started, written at the end."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stressbench.cli.following import say, stop
from stressbench.formats.errors import reason_of
from stressbench.formats.files import write_output
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.traced import check_output

Report: TypeAlias = Annotated[
    Path | None,
    typer.Option("--report", metavar="FILE.html", help="Write a page with figures and all tables.", show_default=False),
]


def check_page(path: Path | None) -> None:
    """Raise LaunchMistake where no page can be written there; one that is there is replaced."""
    if path is not None:
        check_output(path, endings=(".html",), replace=True, option="--report")


def require_page(path: Path | None) -> None:
    """As `check_page`, for commands that start nothing: stops with status 2."""
    try:
        check_page(path)
    except LaunchMistake as mistake:
        raise stop(str(mistake)) from None


def write_page(path: Path, page: str) -> None:
    """Write it and say so. Raises LaunchMistake."""
    try:
        write_output(path, page)
    except OSError as fault:
        raise LaunchMistake(f"--report: {path}: {reason_of(fault)}") from fault
    say(f"wrote {path}")


def put_page(path: Path, page: str) -> None:
    """As `write_page`, for commands that start nothing: stops with status 2."""
    try:
        write_page(path, page)
    except LaunchMistake as mistake:
        raise stop(str(mistake)) from None
