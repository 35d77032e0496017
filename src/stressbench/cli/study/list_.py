"""`stressbench study list`: the shipped studies."""

from typing import Any

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.documents import AsJson
from stressbench.experiments.study.catalog import shipped, study_file
from stressbench.formats.study.file import read_study
from stressbench.report.renderers.text import new_table, print_table, standard_output

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
    studies = {name: read_study(study_file(name))[0] for name in shipped()}
    if as_json:
        values = [
            {"study": name, "cells": len(study.cells), "runs": len(study.runs), "about": study.about}
            for name, study in studies.items()
        ]
        print_json(values, Any)
        return
    table = new_table(left=("study",), right=("cells", "runs"), last=("about",))
    for name, study in studies.items():
        table.add_row(name, str(len(study.cells)), str(len(study.runs)), study.about)
    print_table(standard_output(), table)
