"""Options of `stressbench lab`."""

from typing import Annotated, TypeAlias

import typer

STATUS = "Exit status: 0 success, 2 invalid input, 3 the machine refused a step."

LabName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lab", metavar="NAME", envvar="STRESSBENCH_LAB", help="Name of the lab; default: the one that is up."
    ),
]
LabAsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="JSON output; sizes in bytes, rates in bits per second, times in seconds.")
]
