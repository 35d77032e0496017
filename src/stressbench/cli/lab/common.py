"""What the subcommands share: which lab is meant, and how failures end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeAlias

import typer
from pydantic import TypeAdapter

from stressbench.console import echo
from stressbench.formats.lab.errors import LabMistake
from stressbench.lab.errors import LabFault

MISTAKE, FAULT = 2, 3
STATUS = "Exit status: 0; 2 something to put right, 3 the machine refused."

LabName: TypeAlias = Annotated[
    str | None,
    typer.Option("--lab", metavar="NAME", envvar="STRESSBENCH_LAB", help="Which lab; not needed while one is up."),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="For programs; bytes, bits a second, seconds.")]


@contextmanager
def told() -> Iterator[None]:
    """Say what went wrong and end with its status."""
    try:
        yield
    except LabMistake as mistake:
        say(str(mistake))
        raise typer.Exit(MISTAKE) from None
    except LabFault as fault:
        say(str(fault))
        raise typer.Exit(FAULT) from None


def say(text: str) -> None:
    """Each line on standard error."""
    for line in text.splitlines():
        echo(f"stressbench: {line}", err=True)


def print_json(value: Any, kind: Any) -> None:
    """A value of this type on standard output."""
    echo(TypeAdapter(kind).dump_json(value, indent=2))
