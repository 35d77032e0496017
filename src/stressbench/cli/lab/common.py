"""What the subcommands share: which lab is meant, and how failures end."""

from typing import Annotated, Any, TypeAlias

import typer
from pydantic import TypeAdapter

from stressbench.console import echo

STATUS = "Exit status: 0; 2 something to put right, 3 the machine refused."

LabName: TypeAlias = Annotated[
    str | None,
    typer.Option("--lab", metavar="NAME", envvar="STRESSBENCH_LAB", help="Which lab; not needed while one is up."),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="For programs; bytes, bits a second, seconds.")]


def print_json(value: Any, kind: Any) -> None:
    """A value of this type on standard output."""
    echo(TypeAdapter(kind).dump_json(value, indent=2))
