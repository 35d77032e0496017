"""`stressbench degrade run`: jobs at one injection bandwidth after the other."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.degrade.asked import LAB, RATES, Asked, in_options
from stressbench.cli.degrade.options import (
    Command,
    Contended,
    Isolated,
    MinTime,
    Nodes,
    On,
    Placements,
    Ranks,
    RanksPerNode,
    Rates,
    Repetitions,
    Runs,
    Seed,
    Sets,
    Workloads,
)
from stressbench.cli.study.common import EXIT_STATUS, CliPlaces, Jobs, Retries, TimeLimit, Wanted, carry_out, told
from stressbench.study.directory import take_up
from stressbench.study.places import require_links

_HELP = f"""\
Run workloads at full, half, a quarter and an eighth of the injection bandwidth, each job alone, in random order.

On a lab that is up, and on one that is simulated, the rate is that of all links, as `stressbench lab set all rate=1/2`
has it. Elsewhere --rate-command sets it: a program of yours that is called with the rate before runs at that rate, and
with 1 at the end, also after Ctrl-C and failures; where it fails, the study ends. After kill -9 `study resume` calls it
with 1.

Everything is checked before the first rank starts. What comes out is a study: `study status`, `resume`, `pack` and
`verify` work on DIR, and `degrade report DIR` tells what it found. The same command with more goes on with DIR.

\b
Examples:
    stressbench degrade run workloads/degrade.sb --set pattern=halo --set pattern=stream -o tiny     # on {LAB}
    stressbench degrade run workloads/degrade.sb --set pattern=alltoall -n 2,4 --nodes nodes -o scale
    stressbench degrade run cg.sb fft.sb --on simgrid:tinis --rates 1,1/2,1/16 --isolated 4 --jobs 2 -o simulated
    stressbench degrade run app.sb -n 64 --on slurm --rate-command './set-rate --all' --runs 4 -o app
    stressbench degrade report tiny

{EXIT_STATUS} A rate command that fails gives 3.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("run", help=_HELP)(run)


def run(
    workloads: Workloads,
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The study's directory.", show_default=False)
    ],
    on: On = None,
    rates: Rates = RATES,
    ranks: Ranks = None,
    ranks_per_node: RanksPerNode = None,
    nodes: Nodes = None,
    sets: Sets = None,
    placements: Placements = None,
    isolated: Isolated = 10,
    contended: Contended = 0,
    repetitions: Repetitions = None,
    min_time: MinTime = None,
    runs: Runs = 1,
    seed: Seed = 1,
    rate_command: Command = None,
    retries: Retries = None,
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
) -> None:
    """Make the study, check it, carry it out."""
    asked = Asked(
        workloads=workloads, on=on, rates=rates, ranks=ranks, ranks_per_node=ranks_per_node, nodes=nodes,
        sets=sets or (), placements=placements or (), rate_command=rate_command, runs=runs, seed=seed,
        rounds={"isolated": isolated, "contended": contended, "repetitions": repetitions, "min_time": min_time},
    )  # fmt: skip
    wanted, folder = Wanted(retries=retries, time_limit=time_limit, jobs=jobs), Path.cwd()
    with told():
        study, text = asked.study()
        wanted.check(study)
        with in_options():
            require_links(study, CliPlaces(), text=text, source="degrade", folder=folder)
        carry_out(take_up(output, study=study, text=text, folder=folder), wanted)
