"""`stressbench degrade run`: workloads or a program at one injection bandwidth after the other."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.degrade.asked import LAB, RATES, SOURCE, Asked, in_options
from stressbench.cli.degrade.competing import competing_study, require_compete, write_in
from stressbench.cli.degrade.options import (
    Command,
    Compete,
    Contended,
    FigureFile,
    Figures,
    Hpcc,
    HpccN,
    Isolated,
    LinkRate,
    Lower,
    Nodes,
    On,
    Rates,
    Runs,
    Words,
)
from stressbench.cli.degrade.output import Typed
from stressbench.cli.degrade.program import launch_all, program_of
from stressbench.cli.study.common import EXIT_STATUS, CliPlaces, Jobs, Retries, TimeLimit, Wanted, carry_out, told
from stressbench.cli.study_options import MinTime, Placements, Ranks, RanksPerNode, Repetitions, Seed, Sets
from stressbench.formats.study.errors import StudyMistake
from stressbench.study.directory import take_up
from stressbench.study.places import require_links

_HELP = f"""\
Run workloads, each job alone, or an MPI program, at full, half, a quarter and an eighth of the injection bandwidth, in
random order.

On a lab that is up, and on one that is simulated, the rate is that of all links, as `stressbench lab set all rate=1/2`
has it. Elsewhere --rate-command sets it: a program of yours that is called with the rate before runs at that rate, and
with 1 at the end, also after Ctrl-C and failures; where it fails, the study ends. After kill -9 `study resume` calls it
with 1. Where nothing can be slowed, --compete has other traffic take what the rate leaves out of --link.

CMD is a program without its mpirun, built with the engine's MPI: it starts on -n ranks, in this folder.

Everything is checked before the first rank starts. What comes of workloads is a study: `study status`, `resume`, `pack`
and `verify` work on DIR; the same command with more goes on with it. What comes of CMD is DIR/launches.jsonl, a line a
launch; what was measured before Ctrl-C stays. `degrade report DIR` tells both.

\b
Examples:
    stressbench degrade run workloads/degrade.sb --set pattern=halo --set pattern=stream -o tiny     # on {LAB}
    stressbench degrade run workloads/degrade.sb --set pattern=alltoall -n 2,4 --nodes nodes -o scale
    stressbench degrade run cg.sb fft.sb --on simgrid:tinis --rates 1,1/2,1/16 --isolated 4 --jobs 2 -o simulated
    stressbench degrade run app.sb -n 64 --on slurm --rate-command './set-rate --all' --runs 4 -o app
    stressbench degrade run -n 2,4 --fom 'GFLOPS=([0-9.e+-]+) Gflops' -o hpl -- ./xhpl
    stressbench degrade run --hpcc --hpcc-n 2000 -o hpcc -- hpcc
    stressbench degrade run shared.sb --compete --link 10Gbit -n 36 --ranks-per-node 9 --on slurm -o beside
    stressbench degrade report tiny

{EXIT_STATUS} A rate command that fails gives 3.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("run", help=_HELP)(run)


def run(
    words: Words,
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
    isolated: Isolated = None,
    contended: Contended = None,
    repetitions: Repetitions = None,
    min_time: MinTime = None,
    runs: Runs = None,
    seed: Seed = 1,
    rate_command: Command = None,
    compete: Compete = False,
    link: LinkRate = None,
    figures: Figures = None,
    lower: Lower = None,
    figure_file: FigureFile = None,
    hpcc: Hpcc = False,
    hpcc_n: HpccN = None,
    retries: Retries = None,
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
) -> None:
    """Make the study, check it, carry it out; or launch the program."""
    asked = Asked(
        words=words, on=on, rates=rates, ranks=ranks, ranks_per_node=ranks_per_node, nodes=nodes,
        sets=sets or (), placements=placements or (), rate_command=rate_command, runs=runs, seed=seed,
        compete=compete, link=link,
        rounds={"isolated": isolated, "contended": contended, "repetitions": repetitions, "min_time": min_time},
    )  # fmt: skip
    typed = Typed(figures=figures or (), lower=lower or (), file=figure_file, hpcc=hpcc, hpcc_n=hpcc_n)
    with told():
        require_compete(asked)
        if asked.is_program:
            others = {"--retries": retries, "--time-limit": time_limit, "--jobs": None if jobs == 1 else jobs}
            launch_all(program_of(asked, typed, others=others, places=CliPlaces()), folder=output)
        if typed.first is not None:
            raise StudyMistake(f"{typed.first}: is for a program's output; workloads are measured by the engine")
        _carry_out(asked, Wanted(retries=retries, time_limit=time_limit, jobs=jobs), output=output)


def _carry_out(asked: Asked, wanted: Wanted, *, output: Path) -> None:
    if asked.compete:
        study, text = competing_study(asked)
        wanted.check(study)
        carry_out(take_up(output, study=study, text=text, folder=write_in(output, asked)), wanted)
        return
    folder = Path.cwd()
    study, text = asked.study()
    wanted.check(study)
    with in_options():
        require_links(study, CliPlaces(), text=text, source=SOURCE, folder=folder)
    carry_out(take_up(output, study=study, text=text, folder=folder), wanted)
