"""Options that `degrade run` and `plan` share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stressbench.cli.degrade.asked import LAB
from stressbench.cli.places import PLACES

Workloads: TypeAlias = Annotated[
    list[Path],
    typer.Argument(metavar="W1.sb...", help="Workloads; each of their jobs is measured.", show_default=False),
]
On: TypeAlias = Annotated[
    str | None,
    typer.Option("--on", metavar=PLACES, help=f"Where ranks start; {LAB} unless --rate-command.", show_default=False),
]
Rates: TypeAlias = Annotated[str, typer.Option(metavar="R,R...", help="Shares of the full rate, 1 among them.")]
Ranks: TypeAlias = Annotated[
    str | None,
    typer.Option("-n", "--ranks", metavar="N,N...", help="MPI ranks; a lab has its own.", show_default=False),
]
RanksPerNode: TypeAlias = Annotated[
    int | None, typer.Option(metavar="K", min=1, help="Call K consecutive ranks a node.", show_default=False)
]
Nodes: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="VARIABLE",
        help="The workloads' variable for nodes of a job: -n / --ranks-per-node in each run.",
        show_default=False,
    ),
]
Sets: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="K=V", help="A variable's value; repeated for one name, one value after the other."),
]
Placements: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--place", metavar="WHERE", help="linear, interleaved or random:SEED; may be repeated."),
]
Isolated: TypeAlias = Annotated[int, typer.Option(metavar="N", min=0, help="Rounds in which a job runs alone.")]
Contended: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=0, help="Rounds in which all jobs run; `report --time contended` tells them.")
]
Repetitions: TypeAlias = Annotated[
    int | None, typer.Option(metavar="R", min=1, help="Measured repetitions a round.", show_default=False)
]
MinTime: TypeAlias = Annotated[
    str | None, typer.Option(metavar="T", help="Measure each job of a round so long.", show_default=False)
]
Runs: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=1, help="Runs at each rate; from 4 on intervals are made of runs.")
]
Seed: TypeAlias = Annotated[int, typer.Option(metavar="S", min=0, help="Of the order of runs, and of what they draw.")]
Command: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="CMD", help="Sets injection bandwidth: `CMD 1/2` before runs at 1/2, `CMD 1` at the end.",
        show_default=False,
    ),
]  # fmt: skip
