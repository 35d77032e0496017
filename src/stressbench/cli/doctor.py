"""`stressbench doctor`: what was found on a launch target, what will go wrong, and what to type."""

import os
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.after_dashes import split_at_dashes, words_after_dashes
from stressbench.cli.options.common import TargetName, ranks_option, time_limit_option
from stressbench.cli.options.documents import json_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.launcher import LauncherOptions
from stressbench.console import note
from stressbench.exit_status import ExitStatus
from stressbench.experiments.doctor import DoctorSpec, examine
from stressbench.launch.option_values import seconds
from stressbench.report.doctor import doctor_document, summary_text
from stressbench.report.renderers.text import show
from stressbench.results.doctor import Diagnosis

_HELP = """\
Find out what will go wrong before anything is measured: what was found, its consequence, and what to type.

Examines engine and launcher, batch system, shared memory, limits, clock, NICs, storage and, with FILE, a workload. Then
starts a short launch on the target, which shows whether the ranks are one MPI job, where they run, how they are bound,
and what carries their messages.

\b
Examples:
    stressbench doctor
    stressbench doctor workloads/demo.sb -n 8
    stressbench doctor --on lab:tiny
    stressbench doctor --on slurm -n 64 --storage $SCRATCH -- --cpu-bind=cores
    stressbench doctor --json | jq '.findings[] | select(.level == "error")'

Words after -- are passed to mpirun, srun or flux run unchanged.

Exit status: 0 no error was found, 1 an error was found, 2 invalid input, 130 interrupted.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("doctor", help=_HELP, cls=split_at_dashes("[-- MPIRUN OPTIONS]"))(doctor)


@with_options
def doctor(
    *,
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A workload to check, a .sb file.", show_default=False)
    ] = None,
    ranks: Annotated[
        int | None, ranks_option("MPI ranks to start; default: one for each core, but two at least.")
    ] = None,
    on: TargetName = "local",
    storage: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Directory where files will be written; can be repeated. Default: the current "
                     "one, $TMPDIR and $SCRATCH.", show_default=False),
    ] = None,
    time_limit: Annotated[str, time_limit_option("End the launch after this time.")] = "60s",
    launcher: LauncherOptions,
    as_json: Annotated[bool, json_option("JSON output; unknown is null.")] = False,
) -> None:  # fmt: skip
    """Print the findings, and exit with 1 if one of them is an error."""
    spec = DoctorSpec(
        on=on, ranks=ranks, workload=file, directories=tuple(storage or ()),
        limit_s=seconds(time_limit, option="--time-limit"), mpirun=launcher.mpirun, engine=launcher.engine,
        launcher_arguments=(*launcher.arguments(), *words_after_dashes(context)),
    )  # fmt: skip
    diagnosis = examine(spec, environment=os.environ)
    if as_json:
        print_json(diagnosis, Diagnosis)
    else:
        show(doctor_document(diagnosis))
        note(summary_text(diagnosis))
    if not diagnosis.passed:
        raise typer.Exit(ExitStatus.negative)
