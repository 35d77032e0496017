"""`stressbench lab status`: the labs that are up."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson
from stressbench.console import note
from stressbench.experiments.lab import lab_status
from stressbench.labs.status import LabStatus
from stressbench.report.labs import status_document
from stressbench.report.renderers.text import show


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("status", help="List the labs that are up. Exit status: 0 success, 2 the named lab is not up.")(status)


def status(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One lab; default: all.")] = None,
    as_json: LabAsJson = False,
) -> None:
    """Print one line per running lab."""
    labs = lab_status(name)
    if as_json:
        print_json(labs, list[LabStatus])
        return
    if not labs:
        note("no lab is up")
        return
    show(status_document(labs))
