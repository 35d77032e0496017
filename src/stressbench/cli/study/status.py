"""`stressbench study status`: the progress of a study."""

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.study import Folder
from stressbench.console import warning
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.status import status_of
from stressbench.report.renderers.text import show
from stressbench.report.study.status import status_document
from stressbench.results.study_status import StudyStatus

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
    study_status = status_of(open_directory(folder))
    if as_json:
        print_json(study_status, StudyStatus)
        return
    for complaint in study_status.complaints:
        warning(complaint)
    show(status_document(study_status, with_complaints=False))
