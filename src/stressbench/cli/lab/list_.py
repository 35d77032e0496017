"""`stressbench lab list`."""

from dataclasses import dataclass

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson
from stressbench.labs.catalog import lab_file, shipped
from stressbench.labs.file import read_lab
from stressbench.labs.lifecycle import labs_up
from stressbench.report.renderers.text import new_table, print_table, standard_output


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A lab that ships."""

    name: str
    hosts: int
    shape: str
    is_up: bool
    about: str


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("list", help="Name the labs that ship, and say which of them are up.")(list_labs)


def list_labs(as_json: LabAsJson = False) -> None:
    """A line each."""
    there = labs_up()
    labs = [read_lab(lab_file(name)) for name in shipped()]
    entries = [
        Entry(name=lab.name, hosts=len(lab.hosts), shape=lab.shape, is_up=lab.name in there, about=lab.about)
        for lab in labs
    ]
    if as_json:
        print_json(entries, list[Entry])
        return
    table = new_table(left=("lab", "topology"), right=("hosts",), last=("state", "about"))
    for entry in entries:
        table.add_row(entry.name, entry.shape, str(entry.hosts), "up" if entry.is_up else "", entry.about)
    print_table(standard_output(), table)
