"""Options of reports: the topology of the machine, and the limits of verdicts."""

from typing import Annotated, TypeAlias

import typer

TopologyWord: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--topology",
        metavar="FILE|LAB",
        help="Network of the machine: a lab file or a shipped lab, Slurm's topology.conf, the output of ibnetdiscover, "
        "or a topology file (.toml); default: what the run file tells.",
        show_default=False,
    ),
]
SlowedAbove: TypeAlias = Annotated[
    float,
    typer.Option(
        "--slowed-above", metavar="RATIO", help="A job is slowed if the 95 % interval of its impact lies above this."
    ),
]
TailAbove: TypeAlias = Annotated[
    float,
    typer.Option(
        "--tail-above", metavar="RATIO", help="A tail grew if the 95 % interval of its impact lies above this."
    ),
]
BusyAbove: TypeAlias = Annotated[
    str, typer.Option("--busy-above", metavar="SHARE", help="A link is busy above this share of its rate.")
]
