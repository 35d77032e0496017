"""`stressbench lab list`: the shipped labs."""

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson
from stressbench.experiments.lab import shipped_labs
from stressbench.labs.status import ShippedLab
from stressbench.report.labs import list_document
from stressbench.report.renderers.text import show


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("list", help="List the shipped labs, and which of them are up.")(list_labs)


def list_labs(as_json: LabAsJson = False) -> None:
    """Print one line per shipped lab."""
    labs = shipped_labs()
    if as_json:
        print_json(labs, list[ShippedLab])
        return
    show(list_document(labs))
