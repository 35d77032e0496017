"""`stressbench rails plan`: what `rails run` would run."""

from pathlib import Path

import typer

from stressbench.cli.programs import refuse_to_plan
from stressbench.cli.rails.asked import LAB, POLICIES, Asked
from stressbench.cli.rails.options import Contended, Isolated, Nics, On, Policies, Runs, TransportWord, Words
from stressbench.cli.study.common import AsJson
from stressbench.cli.study.plan import show_plan
from stressbench.cli.study_options import MinTime, Placements, Ranks, RanksPerNode, Repetitions, Seed, Sets

_HELP = """\
List what `rails run` with the same options would run, in which order, and start nothing.

\b
Examples:
    stressbench rails plan -n 8
    stressbench rails plan app.sb -n 16 --on slurm --nics ib0,ib1 --policies default,nic0,local --json

Exit status: 0 the options are right, 2 they are not.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("plan", help=_HELP)(plan)


def plan(
    words: Words = None,
    on: On = LAB,
    policies: Policies = POLICIES,
    nics: Nics = None,
    transport: TransportWord = None,
    ranks: Ranks = None,
    ranks_per_node: RanksPerNode = None,
    sets: Sets = None,
    placements: Placements = None,
    isolated: Isolated = None,
    contended: Contended = 0,
    repetitions: Repetitions = None,
    min_time: MinTime = None,
    runs: Runs = 4,
    seed: Seed = 1,
    as_json: AsJson = False,
) -> None:
    """Make the study, list it."""
    asked = Asked(
        words=words or (), on=on, policies=policies, nics=nics, transport=transport, ranks=ranks,
        ranks_per_node=ranks_per_node, sets=sets or (), placements=placements or (), runs=runs, seed=seed,
        rounds={"isolated": isolated, "contended": contended, "repetitions": repetitions, "min_time": min_time},
    )  # fmt: skip
    refuse_to_plan(asked.words)
    study, _ = asked.study()
    show_plan(study, folder=Path.cwd(), as_json=as_json)
