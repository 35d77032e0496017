"""Options of `stressbench lab`."""

from typing import Annotated, TypeAlias

import typer

from stressbench.cli.options.documents import json_option

STATUS = "Exit status: 0 success, 2 invalid input, 3 the machine refused a step."

LabName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lab", metavar="NAME", envvar="STRESSBENCH_LAB", help="Name of the lab; default: the one that is up."
    ),
]
LabAsJson: TypeAlias = Annotated[
    bool, json_option("JSON output; sizes in bytes, rates in bits per second, times in seconds.")
]
