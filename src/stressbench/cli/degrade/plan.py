"""`stressbench degrade plan`: what `degrade run` would run."""

from pathlib import Path

import typer

from stressbench.cli.degrade.asked import RATES, Asked
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
from stressbench.cli.study.common import AsJson, told
from stressbench.cli.study.plan import show_plan

_HELP = """\
List what `degrade run` with the same options would run, in which order, and start nothing.

\b
Examples:
    stressbench degrade plan workloads/degrade.sb --set pattern=halo --set pattern=stream
    stressbench degrade plan app.sb -n 16,64 --nodes nodes --on slurm --rate-command ./set-rate --json

Exit status: 0 the options are right, 2 they are not.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("plan", help=_HELP)(plan)


def plan(
    workloads: Workloads,
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
    as_json: AsJson = False,
) -> None:
    """Make the study, list it."""
    asked = Asked(
        workloads=workloads, on=on, rates=rates, ranks=ranks, ranks_per_node=ranks_per_node, nodes=nodes,
        sets=sets or (), placements=placements or (), rate_command=rate_command, runs=runs, seed=seed,
        rounds={"isolated": isolated, "contended": contended, "repetitions": repetitions, "min_time": min_time},
    )  # fmt: skip
    with told():
        study, _ = asked.study()
    show_plan(study, folder=Path.cwd(), as_json=as_json)
