"""`stressbench study list`: the shipped studies."""

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.experiments.study.catalog import shipped_studies
from stressbench.report.renderers.text import show
from stressbench.report.study.plan import list_document
from stressbench.results.study_plan import ShippedStudy

_HELP = """\
List the shipped studies. `lab/...` need `stressbench lab up tinis` (`lab/degrade`: tiny), `simulated/...` an engine
built with SimGrid, `cluster/...` an allocation.

\b
Examples:
    stressbench study list --json | jq -r '.[].study'
    stressbench study plan lab/io-study

Exit status: 0 success.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("list", help=_HELP)(list_studies)


def list_studies(as_json: AsJson = False) -> None:
    """Print one line per shipped study."""
    studies = shipped_studies()
    if as_json:
        print_json(studies, tuple[ShippedStudy, ...])
        return
    show(list_document(studies))
