"""Options of commands that make a study: `rails` and `degrade`, run and plan."""

from typing import Annotated, TypeAlias

import typer

Ranks: TypeAlias = Annotated[
    str | None,
    typer.Option("-n", "--ranks", metavar="N,N...", help="MPI ranks; a lab has its own.", show_default=False),
]
RanksPerNode: TypeAlias = Annotated[
    int | None, typer.Option(metavar="K", min=1, help="Call K consecutive ranks a node.", show_default=False)
]
Sets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="K=V", help="A variable's value; repeated for one name, one value after the other."),
]
Placements: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--place", metavar="WHERE", help="linear, interleaved or random:SEED; may be repeated."),
]
Repetitions: TypeAlias = Annotated[
    int | None, typer.Option(metavar="R", min=1, help="Measured repetitions a round.", show_default=False)
]
MinTime: TypeAlias = Annotated[
    str | None, typer.Option(metavar="T", help="Measure each job of a round so long.", show_default=False)
]
Seed: TypeAlias = Annotated[int, typer.Option(metavar="S", min=0, help="Of the order of runs, and of what they draw.")]
