"""Terminal output of `machine run` and `machine resume`."""

import shlex
from typing import NoReturn

import typer

from stressbench.cli.console.studies import progress_of
from stressbench.console import emit, note, warning
from stressbench.exit_status import ExitStatus
from stressbench.experiments.machine.directory import MachineDirectory
from stressbench.experiments.machine.running import run_machine
from stressbench.experiments.study.execution import StudyOptions
from stressbench.experiments.study.running import Stop
from stressbench.report.machine import brief
from stressbench.report.renderers.text import show


def measure_and_exit(directory: MachineDirectory, options: StudyOptions) -> NoReturn:
    """Measure what is missing, show progress and the result, and end with the exit status of the study."""
    outcome = run_machine(
        directory, time_limit_s=options.time_limit_s, retries=options.retries, progress=emit, watcher=progress_of
    )
    where = shlex.quote(str(directory.path))
    if outcome.result is not None:
        show(brief(outcome.result))
    if outcome.study.stop is not Stop.done:
        note(f"{outcome.study.summary}; `stressbench machine resume {where}` continues")
    elif outcome.result is not None:
        note(f"{outcome.study.summary}; {directory.result} is the result")
    if outcome.status == ExitStatus.fault:
        warning(f"`stressbench machine resume {where} --retries N` tries what failed again")
    raise typer.Exit(outcome.status)
