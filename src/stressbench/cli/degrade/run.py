"""`stressbench degrade run`: workloads or a program at one injection bandwidth after the other."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import required_output
from stressbench.cli.console.errors import end_of_launches
from stressbench.cli.console.studies import carry_out, print_plan
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.rate_sweep import CALLED, LAB, RateFigureOptions, RateSweepOptions, RateWords
from stressbench.cli.options.study import EXIT_STATUS, DryRun, PlanAsJson, StudyRunOptions
from stressbench.console import emit
from stressbench.experiments.sweep.launches import is_program, refuse_to_plan
from stressbench.formats.study.errors import StudyMistake

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
    stressbench degrade run workloads/degrade.sb --set pattern=halo --dry-run                        # what would run
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


_PLAN_HELP = """\
The same as `degrade run --dry-run`.

\b
Example:
    stressbench degrade plan workloads/degrade.sb --set pattern=halo

Exit status: 0 the options are right, 2 they are not.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand, and `plan`, its old word for --dry-run."""
    app.command("run", help=_HELP)(run)
    app.command("plan", help=_PLAN_HELP, hidden=True)(plan)


@with_options
def run(
    *,
    words: RateWords,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="The study's directory; needed but with --dry-run.",
            show_default=False,
        ),
    ] = None,
    what: RateSweepOptions,
    figures: RateFigureOptions,
    how: StudyRunOptions,
    dry_run: DryRun = False,
    as_json: PlanAsJson = False,
) -> None:
    """Carry out the study of the workloads, or the launches of the program."""
    if dry_run:
        _print_plan(words, what, as_json=as_json)
        return
    folder = required_output(output)
    chosen = figures.value()
    if is_program(words):
        sweep = what.program(words, chosen)
        how.refuse_for(words)
        end_of_launches(sweep.prepared(progress=emit).run(folder))
    what.check()
    if chosen.first is not None:
        raise StudyMistake(f"{chosen.first}: is for a program's output; workloads are measured by the engine")
    _carry_out(words, what, how, output=folder)


@with_options
def plan(*, words: RateWords, what: RateSweepOptions, as_json: PlanAsJson = False) -> None:
    """List what would run."""
    _print_plan(words, what, as_json=as_json)


def _print_plan(words: list[str], what: RateSweepOptions, *, as_json: bool) -> None:
    refuse_to_plan(words)
    if what.compete:
        competing = what.competing(words)
        made = competing.specification(called=CALLED)
        with competing.written_for_now() as folder:
            print_plan(made.study, folder=folder, as_json=as_json)
        return
    made = what.sweep(words).specification(called=CALLED)
    print_plan(made.study, folder=Path.cwd(), as_json=as_json)


def _carry_out(words: list[str], what: RateSweepOptions, how: StudyRunOptions, *, output: Path) -> None:
    options, folder = how.value(), Path.cwd()
    if what.compete:
        competing = what.competing(words)
        made = competing.specification(called=CALLED)
        options.check(made.study)
        folder = competing.write_in(output)
    else:
        made = what.sweep(words).specification(called=CALLED)
    carry_out(made.begin(output, options, folder=folder, called=CALLED), options)
