"""`stressbench rails run`: workloads or a program under several rail policies."""

from pathlib import Path

import typer

from stressbench.cli.console.documents import required_output
from stressbench.cli.console.errors import exit_after_launches
from stressbench.cli.console.studies import print_plan, run_and_exit
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.rail_program import RailProgramOptions
from stressbench.cli.options.rail_sweep import RailArguments, RailSweepOptions
from stressbench.cli.options.study import (
    EXIT_STATUS,
    DryRun,
    NewDirectory,
    PlanAsJson,
    SequentialStudyOptions,
)
from stressbench.console import emit
from stressbench.experiments.sweep.launches import is_program, refuse_to_plan
from stressbench.experiments.sweep.rails.study import LAB

_HELP = f"""\
Run workloads, or an MPI program, under several rail policies, in random order and several times each.

Without a workload, the aggregate bandwidth of pairs of nodes is measured, from 32 B to 8 MiB, and the latency. CMD is
an MPI program without its mpirun, built with the engine's MPI. It runs on -n ranks of the launch target, in the current
directory.

Labs know their NICs; elsewhere, --nics names those of each host. Everything is checked before the first rank starts.
For workloads, DIR is a study: `study status`, `resume`, `pack` and `verify` work on it. For CMD, DIR/launches.jsonl has
one line per launch, and completed launches are kept after Ctrl-C. `rails report DIR` reads both.

\b
Examples:
    stressbench rails run -n 8 --dry-run                                                    # list the runs
    stressbench rails run -n 8 -o dual                                                      # on {LAB}
    stressbench rails run two-jobs.sb --policies default,nic0,per-job --contended 6 -o apart
    stressbench rails run app.sb -n 64 --on slurm --nics mlx5_0:1,mlx5_1:1 --transport ucx -o app
    stressbench rails run -n 4 --runs 80 --fom 'FOM=FOM: ([0-9.e+]+)' -o amg -- ./amg -problem 1
    stressbench rails run -n 4 --runs 80 --profile --interval 15min -o umt -- ./SuOlsonTest grid.cmg
    stressbench rails report dual

{EXIT_STATUS}
"""


_PLAN_HELP = """\
The same as `rails run --dry-run`.

\b
Example:
    stressbench rails plan -n 8

Exit status: 0 success, 2 invalid input.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand, and the hidden `plan`, an alias of `run --dry-run`."""
    app.command("run", help=_HELP)(run)
    app.command("plan", help=_PLAN_HELP, hidden=True)(plan)


@with_options
def run(
    *,
    output: NewDirectory = None,
    words: RailArguments = None,
    sweep_options: RailSweepOptions,
    program_options: RailProgramOptions,
    study_options: SequentialStudyOptions,
    dry_run: DryRun = False,
    as_json: PlanAsJson = False,
) -> None:
    """Carry out the study of the workloads, or the launches of the program."""
    if dry_run:
        _print_plan(words or [], sweep_options, as_json=as_json)
        return
    folder = required_output(output)
    if words and is_program(words):
        sweep = sweep_options.program(words, program_options)
        study_options.refuse_for_program(words)
        exit_after_launches(sweep.prepared(progress=emit).run(folder))
    program_options.refuse_for_workloads()
    options = study_options.value()
    specification = sweep_options.sweep(words or ()).specification()
    run_and_exit(specification.begin(folder, options, progress=emit), options)


@with_options
def plan(*, words: RailArguments = None, sweep_options: RailSweepOptions, as_json: PlanAsJson = False) -> None:
    """List the runs in their order, without starting any."""
    _print_plan(words or [], sweep_options, as_json=as_json)


def _print_plan(words: list[str], sweep_options: RailSweepOptions, *, as_json: bool) -> None:
    refuse_to_plan(words)
    specification = sweep_options.sweep(words).specification()
    print_plan(specification.study, folder=Path.cwd(), as_json=as_json)
