"""`stressbench study status`: the progress of a study."""

from typing import Any

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.study import Folder
from stressbench.console import echo, warning
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.run_states import State
from stressbench.experiments.study.status import status_of
from stressbench.formats.study.cells import cell_description, varying_factors
from stressbench.formats.units import duration_text

_HELP = """\
Show how many runs of a study are done, which failed and why, what is left, and an estimate of the time left.

\b
Examples:
    stressbench study status placement
    stressbench study status placement --json | jq '.runs[] | select(.state == "failed")'

Exit status: 0 success, 2 DIR has no study.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("status", help=_HELP)(status)


def status(folder: Folder, as_json: AsJson = False) -> None:
    """Print how many runs are in each state, the failed runs with reasons, and the time left."""
    directory = open_directory(folder)
    study_status = status_of(directory)
    if as_json:
        print_json(study_status.values(), Any)
        return
    for complaint in study_status.complaints:
        warning(complaint)
    states = ", ".join(f"{n} {state}" for state in State if (n := sum(one.state is state for one in study_status.runs)))
    echo(f"{study_status.counts.total} runs: {states}")
    factors = varying_factors(directory.study.cells)
    for one in study_status.runs:
        if one.state is State.failed:
            again = "will be tried again" if one.is_open(retries=study_status.retries) else "given up"
            echo(
                f"{one.run.id} failed {one.failures} times, {again}: status {one.status}, {one.reason} "
                f"({cell_description(one.run.cell, factors)})"
            )
    if any(one.is_open(retries=study_status.retries) for one in study_status.runs):
        echo(f"time left: {duration_text(study_status.counts.left_s)}")
