"""`stressbench degrade run`: workloads or a program at several injection bandwidths."""

from typing import Annotated, TypeAlias

import typer

from stressbench.cli.console.documents import required_output
from stressbench.cli.console.errors import exit_after_launches
from stressbench.cli.console.studies import print_plan, run_and_exit
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.rate_figures import RateFigureOptions
from stressbench.cli.options.rate_sweep import RateSweepOptions
from stressbench.cli.options.study import EXIT_STATUS, DryRun, NewDirectory, PlanAsJson, StudyRunOptions
from stressbench.cli.options.study_creation import Interval
from stressbench.console import emit
from stressbench.experiments.sweep.launches import is_program, refuse_to_plan
from stressbench.experiments.sweep.rates.beginning import begin_rate_study, planned_rate_study
from stressbench.experiments.sweep.rates.study import LAB
from stressbench.experiments.sweep.workload_rules import refuse_program_options

_RateArguments: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="W.sb... | -- CMD...", help="Workloads, or an MPI program without its mpirun.", show_default=False
    ),
]
_HELP = f"""\
Run workloads (each job isolated) or an MPI program with the full injection bandwidth, and with a half, a quarter and an
eighth of it, in random order.

On labs, running or simulated, the rates of all links are changed, as by `stressbench lab set all rate=1/2`. Elsewhere,
--rate-command names a program that sets the rate: it is called with the rate before runs at that rate, and with 1 at
the end, also after Ctrl-C and failures. If it fails, the study ends; after kill -9, `study resume` calls it with 1.
Where rates cannot be changed, --compete adds competing traffic that takes the rest of the bandwidth of --link.

CMD is an MPI program without its mpirun, built with the engine's MPI. It runs on -n ranks, in the current directory.

Everything is checked before the first rank starts. For workloads, DIR is a study: `study status`, `resume`, `pack` and
`verify` work on it, and the same command with more values extends it. For CMD, DIR/launches.jsonl has one line per
launch, and completed launches are kept after Ctrl-C. `degrade report DIR` reads both.

\b
Examples:
    stressbench degrade run workloads/degrade.sb --set pattern=halo --dry-run                        # list the runs
    stressbench degrade run workloads/degrade.sb --set pattern=halo --set pattern=stream -o fast     # on {LAB}
    stressbench degrade run workloads/degrade.sb --set pattern=alltoall -n 2,4 --nodes nodes -o scale
    stressbench degrade run cg.sb fft.sb --on simgrid:tinis --rates 1,1/2,1/16 --isolated 4 --jobs 2 -o simulated
    stressbench degrade run app.sb -n 64 --on slurm --rate-command './set-rate --all' --runs 4 -o app
    stressbench degrade run -n 2,4 --fom 'GFLOPS=([0-9.e+-]+) Gflops' -o hpl -- ./xhpl
    stressbench degrade run --hpcc --hpcc-n 2000 -o hpcc -- hpcc
    stressbench degrade run shared.sb --compete --link 10Gbit -n 36 --ranks-per-node 9 --on slurm -o shared
    stressbench degrade report fast

{EXIT_STATUS} If the rate command fails, the status is 3.
"""


_PLAN_HELP = """\
The same as `degrade run --dry-run`.

\b
Example:
    stressbench degrade plan workloads/degrade.sb --set pattern=halo

Exit status: 0 success, 2 invalid input.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand, and the hidden `plan`, an alias of `run --dry-run`."""
    app.command("run", help=_HELP)(run)
    app.command("plan", help=_PLAN_HELP, hidden=True)(plan)


@with_options
def run(
    *,
    words: _RateArguments,
    output: NewDirectory = None,
    sweep_options: RateSweepOptions,
    figures: RateFigureOptions,
    interval: Interval = None,
    study_options: StudyRunOptions,
    dry_run: DryRun = False,
    as_json: PlanAsJson = False,
) -> None:
    """Carry out the study of the workloads, or the launches of the program."""
    if dry_run:
        _print_plan(words, sweep_options, as_json=as_json)
        return
    folder = required_output(output)
    figure_options = figures.value()
    if is_program(words):
        sweep = sweep_options.program(words, figure_options, interval=interval)
        study_options.refuse_for_program(words)
        exit_after_launches(sweep.prepared(progress=emit).run(folder))
    refuse_program_options((*figure_options.given, ("--interval", interval is not None)))
    options = study_options.value()
    run_and_exit(begin_rate_study(sweep_options.sweep(words), folder, options, progress=emit), options)


@with_options
def plan(*, words: _RateArguments, sweep_options: RateSweepOptions, as_json: PlanAsJson = False) -> None:
    """List the runs in their order, without starting any."""
    _print_plan(words, sweep_options, as_json=as_json)


def _print_plan(words: list[str], sweep_options: RateSweepOptions, *, as_json: bool) -> None:
    refuse_to_plan(words)
    with planned_rate_study(sweep_options.sweep(words)) as (study, folder):
        print_plan(study, folder=folder, as_json=as_json)
