"""`stressbench study plan`: list the cells and runs of a study."""

import typer

from stressbench.cli.console.studies import print_plan
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.study import StudyArgument
from stressbench.experiments.study.catalog import study_file
from stressbench.experiments.study.cell_targets import read_checked_study

_HELP = """\
List the cells of a study and the order of its runs, and start nothing.

Duration is given as far as the file determines it: at least `min_time` per round, at most `time_limit` per run.

\b
Examples:
    stressbench study plan lab/io-study
    stressbench study plan mine.toml --json | jq '.runs | length'

Exit status: 0 success, 2 the file has mistakes (one line each).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("plan", help=_HELP)(plan)


def plan(
    what: StudyArgument,
    as_json: AsJson = False,
) -> None:
    """List the cells and runs of the study file."""
    file = study_file(what)
    study, _ = read_checked_study(file)
    print_plan(study, folder=file.absolute().parent, as_json=as_json)
