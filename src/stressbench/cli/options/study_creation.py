"""Types of single options of commands that create a study: `rails`, `degrade` and `study matrix`."""

from typing import Annotated, TypeAlias

import typer

Ranks: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "-n", "--ranks", metavar="N,N...", help="MPI ranks; default on labs: all of their cores.", show_default=False
    ),
]
RanksPerNode: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="K", min=1, help="Treat every K consecutive ranks as one node.", show_default=False),
]
Sets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="K=V", help="Value of a [SET] variable; if repeated for the same name, each value is measured."
    ),
]
Placements: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--place", metavar="WHERE", help="linear, interleaved or random:SEED; can be repeated."),
]
Repetitions: TypeAlias = Annotated[
    int | None, typer.Option(metavar="R", min=1, help="Measured repetitions per round.", show_default=False)
]
MinTime: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="T", help="Measure each job at least this long per round.", show_default=False),
]
Seed: TypeAlias = Annotated[
    int, typer.Option(metavar="S", min=0, help="Random seed of the order of runs and of each run.")
]
OneRankCount: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "-n", "--ranks", metavar="N", help="MPI ranks; default on labs: all of their cores.", show_default=False
    ),
]
"""A single number of ranks, unlike `Ranks`."""
AnyRanksPerNode: TypeAlias = Annotated[
    int | None, typer.Option(metavar="K", help="Treat every K consecutive ranks as one node.", show_default=False)
]
"""As `RanksPerNode`, but its range is checked with the study."""
