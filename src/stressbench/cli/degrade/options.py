"""Options that `degrade run` and `plan` share."""

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stressbench.cli.degrade.asked import LAB
from stressbench.cli.places import PLACES

Words: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="W.sb... | -- CMD...",
        help="Workloads, each of whose jobs is measured, or a program without its mpirun.",
        show_default=False,
    ),
]
On: TypeAlias = Annotated[
    str | None,
    typer.Option("--on", metavar=PLACES, help=f"Where ranks start; {LAB} unless --rate-command.", show_default=False),
]
Rates: TypeAlias = Annotated[str, typer.Option(metavar="R,R...", help="Shares of the full rate, 1 among them.")]
Nodes: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="VARIABLE",
        help="The workloads' variable for nodes of a job: -n / --ranks-per-node in each run.",
        show_default=False,
    ),
]
Isolated: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Rounds in which a job runs alone; default: 10.", show_default=False),
]
Contended: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=0, show_default=False,
        help="Rounds in which all jobs run, default: 0, with --compete 10; `report --time contended` tells them.",
    ),
]  # fmt: skip
Runs: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, show_default=False,
        help="Runs at each rate, default: 1, of a program 4; from 4 on intervals are made of runs.",
    ),
]  # fmt: skip
Command: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="CMD", help="Sets injection bandwidth: `CMD 1/2` before runs at 1/2, `CMD 1` at the end.",
        show_default=False,
    ),
]  # fmt: skip
Compete: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--compete", help="Links stay as they are: traffic beside the workload takes what the rate leaves out."
    ),
]
LinkRate: TypeAlias = Annotated[
    str | None,
    typer.Option("--link", metavar="RATE", help="With --compete: what a node can send, such as 10Gbit.",
                 show_default=False),
]  # fmt: skip
Figures: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--fom", metavar="NAME=REGEX", help="A figure of merit of CMD, more is better: one group; may be repeated."
    ),
]
Lower: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--fom-lower", metavar="NAME=REGEX", help="The same of a figure of which less is better."),
]
FigureFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--fom-file", metavar="FILE", help="CMD writes figures there, not to stdout; removed before each launch.",
        show_default=False,
    ),
]  # fmt: skip
Hpcc: TypeAlias = Annotated[
    bool,
    typer.Option("--hpcc", help="CMD is HPC Challenge: figures of its hpccoutf.txt, and an input where there is none."),
]
HpccN: TypeAlias = Annotated[
    int | None,
    typer.Option("--hpcc-n", metavar="N", help="Order of its Linpack's system; default: 1000.", show_default=False),
]
