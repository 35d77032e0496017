"""`stressbench rails run`: workloads or a program under one rail policy after the other."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.rails.asked import LAB, POLICIES, SOURCE, Asked, in_options
from stressbench.cli.rails.options import Contended, Figures, Isolated, Nics, On, Policies, Runs, TransportWord, Words
from stressbench.cli.rails.program import launch_all, program_of
from stressbench.cli.study.common import EXIT_STATUS, CliPlaces, Retries, TimeLimit, Wanted, carry_out, told
from stressbench.cli.study_options import MinTime, Placements, Ranks, RanksPerNode, Repetitions, Seed, Sets
from stressbench.formats.study.errors import StudyMistake
from stressbench.study.directory import take_up
from stressbench.study.places import require_links

_HELP = f"""\
Run workloads, or an MPI program, under one rail policy after the other, in random order, several times each.

Without a workload: aggregate bandwidth of pairs of nodes, 32 B to 8 MiB, and latency. CMD is a program without its
mpirun, built with the engine's MPI: it starts on -n ranks where --on says, in this folder.

A lab knows its cards; elsewhere --nics names those of each host. Everything is checked before the first rank starts.
What comes of workloads is a study: `study status`, `resume`, `pack` and `verify` work on DIR. What comes of CMD is
DIR/launches.jsonl, a line a launch; what was measured before Ctrl-C stays. `rails report DIR` tells both.

\b
Examples:
    stressbench rails run -n 8 -o dual                                                      # on {LAB}
    stressbench rails run two-jobs.sb --policies default,nic0,per-job --contended 6 -o apart
    stressbench rails run app.sb -n 64 --on slurm --nics mlx5_0:1,mlx5_1:1 --transport ucx -o app
    stressbench rails run -n 4 --runs 80 --fom 'FOM=FOM: ([0-9.e+]+)' -o amg -- ./amg -problem 1
    stressbench rails report dual

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("run", help=_HELP)(run)


def run(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where measurements go.", show_default=False)
    ],
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
    figures: Figures = None,
    retries: Retries = None,
    time_limit: TimeLimit = None,
) -> None:
    """Make the study, check it, carry it out; or launch the program."""
    asked = Asked(
        words=words or (), on=on, policies=policies, nics=nics, transport=transport, ranks=ranks,
        ranks_per_node=ranks_per_node, sets=sets or (), placements=placements or (), runs=runs, seed=seed,
        rounds={"isolated": isolated, "contended": contended, "repetitions": repetitions, "min_time": min_time},
    )  # fmt: skip
    with told():
        if asked.is_program:
            others = {"--retries": retries, "--time-limit": time_limit}
            launch_all(program_of(asked, figures or (), others=others), output=output)
        if figures:
            raise StudyMistake(f"--fom {figures[0]}: is for a program's output; workloads are measured by the engine")
        _carry_out(asked, Wanted(retries=retries, time_limit=time_limit), output=output)


def _carry_out(asked: Asked, wanted: Wanted, *, output: Path) -> None:
    folder = Path.cwd()
    study, text = asked.study()
    wanted.check(study)
    with in_options():
        require_links(study, CliPlaces(), text=text, source=SOURCE, folder=folder)
    carry_out(take_up(output, study=study, text=text, folder=folder), wanted)
