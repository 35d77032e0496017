"""`stressbench degrade plan`: what `degrade run` would run."""

from pathlib import Path

import typer

from stressbench.cli.degrade.asked import RATES, Asked
from stressbench.cli.degrade.competing import competing_study, require_compete, written_for_now
from stressbench.cli.degrade.options import (
    Command,
    Compete,
    Contended,
    Isolated,
    LinkRate,
    Nodes,
    On,
    Rates,
    Runs,
    Words,
)
from stressbench.cli.programs import refuse_to_plan
from stressbench.cli.study.common import AsJson
from stressbench.cli.study.plan import show_plan
from stressbench.cli.study_options import MinTime, Placements, Ranks, RanksPerNode, Repetitions, Seed, Sets

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
    words: Words,
    on: On = None,
    rates: Rates = RATES,
    ranks: Ranks = None,
    ranks_per_node: RanksPerNode = None,
    nodes: Nodes = None,
    sets: Sets = None,
    placements: Placements = None,
    isolated: Isolated = None,
    contended: Contended = None,
    repetitions: Repetitions = None,
    min_time: MinTime = None,
    runs: Runs = None,
    seed: Seed = 1,
    rate_command: Command = None,
    compete: Compete = False,
    link: LinkRate = None,
    as_json: AsJson = False,
) -> None:
    """Make the study, list it."""
    asked = Asked(
        words=words, on=on, rates=rates, ranks=ranks, ranks_per_node=ranks_per_node, nodes=nodes,
        sets=sets or (), placements=placements or (), rate_command=rate_command, runs=runs, seed=seed,
        compete=compete, link=link,
        rounds={"isolated": isolated, "contended": contended, "repetitions": repetitions, "min_time": min_time},
    )  # fmt: skip
    refuse_to_plan(words)
    require_compete(asked)
    if asked.compete:
        study, _ = competing_study(asked)
        with written_for_now(asked) as folder:
            show_plan(study, folder=folder, as_json=as_json)
        return
    study, _ = asked.study()
    show_plan(study, folder=Path.cwd(), as_json=as_json)
