"""`stressbench study matrix`: how much jobs slow each other down, pair by pair."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.studies import run_and_exit
from stressbench.cli.options.common import target_option
from stressbench.cli.options.documents import output_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.rounds import contended_option, isolated_option, runs_option
from stressbench.cli.options.study import EXIT_STATUS, StudyRunOptions
from stressbench.cli.options.study_creation import (
    AnyRanksPerNode,
    MinTime,
    OneRankCount,
    Placements,
    Repetitions,
    Seed,
)
from stressbench.console import emit
from stressbench.experiments.sweep import option_values
from stressbench.experiments.sweep.pairs import PairMatrix
from stressbench.experiments.sweep.specification import SweepRounds

_HELP = f"""\
Run every pair of workloads at the same time, and report the matrix of impacts, the strongest aggressor, the most
sensitive victim, and advice.

Each workload has one job and keeps its number of nodes; the two of a pair run on disjoint nodes, placed by --place. DIR
is a study: resume, status, report and pack work on it, and `study report DIR` prints the matrix.

\b
Examples:
    stressbench study matrix cg.sb fft.sb output.sb -n 8 --ranks-per-node 2 -o pairs
    stressbench study matrix cg.sb fft.sb output.sb -n 12 --triple cg,fft,output -o pairs
    stressbench study matrix cg.sb fft.sb --on lab:tinis --place linear --place interleaved -o pairs
    stressbench study report pairs

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("matrix", help=_HELP)(matrix)


@with_options
def matrix(
    *,
    workloads: Annotated[
        list[Path], typer.Argument(metavar="W1.sb W2.sb...", help="Workloads of one job each.", show_default=False)
    ],
    output: Annotated[Path, output_option("DIR", "Directory of the study.")],
    ranks: OneRankCount = None,
    ranks_per_node: AnyRanksPerNode = None,
    on: Annotated[str, target_option("Launch target.")] = "local",
    triples: Annotated[
        list[str] | None,
        typer.Option(
            "--triple",
            "--triples",
            metavar="A,B,C",
            help="Three or more jobs at the same time, by name; can be repeated.",
        ),
    ] = None,
    with_copies: Annotated[
        bool, typer.Option("--self", help="Also run each job next to a second copy of itself.")
    ] = False,
    placements: Placements = None,
    isolated: Annotated[int, isolated_option("Isolated rounds of each job.")] = 10,
    contended: Annotated[int, contended_option("Contended rounds.")] = 10,
    repetitions: Repetitions = None,
    min_time: MinTime = None,
    runs: Annotated[int, runs_option("Runs of each pair.")] = 1,
    seed: Seed = 1,
    study_options: StudyRunOptions,
) -> None:
    """Write the workloads of all groups into DIR, and run the study."""
    rounds = SweepRounds(
        isolated=isolated,
        contended=contended,
        repetitions=repetitions,
        min_time=option_values.time("--min-time", min_time),
    )
    pairs = PairMatrix(
        workloads=tuple(workloads), groups=tuple(tuple(text.split(",")) for text in triples or ()),
        with_copies=with_copies, on=on, ranks=ranks, ranks_per_node=ranks_per_node,
        placements=tuple(placements or ()), runs=runs, seed=seed, rounds=rounds,
    )  # fmt: skip
    options = study_options.value()
    run_and_exit(pairs.begin(output, options, progress=emit), options)
