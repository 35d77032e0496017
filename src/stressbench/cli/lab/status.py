"""`stressbench lab status`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson
from stressbench.console import note
from stressbench.labs.lifecycle import labs_up, running_lab
from stressbench.report.renderers.text import new_table, print_table, standard_output


@dataclass(frozen=True, kw_only=True)
class Status:
    """A lab that is up. `since` is a time in UTC."""

    name: str
    source: str
    since: str
    keeper: int
    shape: str
    hosts: tuple[str, ...]
    switches: tuple[str, ...]
    links: int


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("status", help="Say which labs are up. Exit status: 0; 2 a lab that was named is not up.")(status)


def status(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One lab; default: all.")] = None,
    as_json: LabAsJson = False,
) -> None:
    """A line each."""
    found = [_status(one) for one in (labs_up() if name is None else (name,))]
    if as_json:
        print_json(found, list[Status])
        return
    if not found:
        note("no lab is up")
        return
    table = new_table(left=("lab", "topology"), right=("hosts", "links"), last=("up since", "from"))
    for one in found:
        table.add_row(one.name, one.shape, str(len(one.hosts)), str(one.links), one.since, one.source)
    print_table(standard_output(), table)


def _status(name: str) -> Status:
    up = running_lab(name)
    assert up.state.supervisor is not None
    return Status(
        name=name,
        source=up.state.source,
        since=up.state.since,
        keeper=up.state.supervisor.pid,
        shape=up.lab.shape,
        hosts=tuple(host.name for host in up.lab.hosts),
        switches=tuple(switch.name for switch in up.lab.switches),
        links=len(up.lab.links),
    )
