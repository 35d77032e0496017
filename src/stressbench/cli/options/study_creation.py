"""Options of commands that create a study: `rails`, `degrade` and `study matrix`."""

from typing import Annotated, Any, TypeAlias

import typer

from stressbench.cli.options.common import (
    placement_option,
    ranks_option,
    ranks_per_node_option,
    seed_option,
    set_option,
)

_RANKS = "MPI ranks; default on labs: all of their cores."
_NODES = "Treat every K consecutive ranks as one node."

Ranks: TypeAlias = Annotated[str | None, ranks_option(_RANKS, metavar="N,N...")]
OneRankCount: TypeAlias = Annotated[int | None, ranks_option(_RANKS)]
"""A single number of ranks, unlike `Ranks`."""
RanksPerNode: TypeAlias = Annotated[int | None, ranks_per_node_option(_NODES, least=1)]
AnyRanksPerNode: TypeAlias = Annotated[int | None, ranks_per_node_option(_NODES)]
"""As `RanksPerNode`, but its range is checked with the study."""
Sets: TypeAlias = Annotated[
    list[str] | None,
    set_option("Value of a [SET] variable; if a name is repeated, each of its values is measured.", metavar="K=V"),
]
Placements: TypeAlias = Annotated[
    list[str] | None,
    placement_option("Placement of jobs: linear, interleaved or random:SEED; can be repeated."),
]
Repetitions: TypeAlias = Annotated[
    int | None, typer.Option(metavar="R", min=1, help="Measured repetitions per round.", show_default=False)
]
MinTime: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="T", help="Measure each job at least this long per round.", show_default=False),
]
Seed: TypeAlias = Annotated[int, seed_option("Random seed of the order of runs and of each run.", least=0)]


def figure_option(text: str) -> Any:
    """The option `--fom` with this help: a figure of merit in the output of a program."""
    return typer.Option("--fom", metavar="NAME=REGEX", help=text)


Interval: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--interval", metavar="T", help="Start launches of CMD at least this far apart, such as 15min, to spread them."
    ),
]
LowerFigures: TypeAlias = Annotated[
    list[str] | None, typer.Option("--fom-lower", metavar="NAME=REGEX", help="As --fom, but lower is better.")
]
