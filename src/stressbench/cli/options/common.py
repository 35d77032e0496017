"""Types of single options that several commands have with the same meaning."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stressbench.launch.targets import TARGET_HELP, TARGET_NAMES

AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="JSON output; times in seconds, unknown is null.")]
Engine: TypeAlias = Annotated[
    Path | None,
    typer.Option("--engine", metavar="PATH", help="stressbench-mpi; default: $STRESSBENCH_MPI, or the installed one."),
]
RanksPerNode: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--ranks-per-node",
        metavar="K",
        help="Treat every K consecutive ranks as one node, to rehearse a large machine on this one.",
    ),
]
TargetName: TypeAlias = Annotated[
    str, typer.Option("--on", metavar=TARGET_NAMES, help=f"Launch target, where ranks start. {TARGET_HELP}.")
]
