"""`stressbench lab list`: the shipped labs."""

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson
from stressbench.experiments.lab import ShippedLab, shipped_labs
from stressbench.report.renderers.text import new_table, print_table, standard_output


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("list", help="List the shipped labs, and which of them are up.")(list_labs)


def list_labs(as_json: LabAsJson = False) -> None:
    """Print one line per shipped lab."""
    labs = shipped_labs()
    if as_json:
        print_json(labs, list[ShippedLab])
        return
    table = new_table(left=("lab", "topology"), right=("hosts",), last=("state", "about"))
    for lab in labs:
        table.add_row(lab.name, lab.shape, str(lab.hosts), "up" if lab.is_up else "", lab.about)
    print_table(standard_output(), table)
