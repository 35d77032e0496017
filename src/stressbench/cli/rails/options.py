"""Options that `rails run` and `plan` share."""

from typing import Annotated, TypeAlias

import typer

from stressbench.cli.places import PLACES

Words: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[W.sb... | -- CMD...]",
        help="Workloads, or a program without its mpirun; default: bandwidth and latency, which ship.",
        show_default=False,
    ),
]
On: TypeAlias = Annotated[str, typer.Option("--on", metavar=PLACES, help="Where ranks start.")]
Policies: TypeAlias = Annotated[
    str, typer.Option(metavar="P,P...", help="default, nic0, nic1, round-robin, local, per-job, jobs:a=0,b=1.")
]
Nics: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="NIC,NIC...", help="Each host's cards: ib0,ib1; mlx5_0:1,mlx5_1:1; a lab has its own.",
                 show_default=False),
]  # fmt: skip
TransportWord: TypeAlias = Annotated[
    str | None,
    typer.Option("--transport", metavar="tcp|ucx|ofi", help="Default: what the MPI chooses.", show_default=False),
]
Isolated: TypeAlias = Annotated[
    int | None,
    typer.Option(metavar="N", min=0, help="Rounds in which a job runs alone; default: 6.", show_default=False),
]
Contended: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=0, help="Rounds in which all jobs run: who disturbs whom under which policy.")
]
Runs: TypeAlias = Annotated[
    int, typer.Option(metavar="N", min=1, help="Runs of each policy; from 4 on boxes and intervals are made of runs.")
]
Figures: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--fom", metavar="NAME=REGEX", help="A figure of merit in CMD's output: one group; may be repeated."),
]
