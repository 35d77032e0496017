"""`stressbench lab stats`: traffic and utilisation of the links of a lab."""

from contextlib import suppress
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson, LabName
from stressbench.experiments.lab import LOAD_INTERVAL_S, MAX_LOAD_INTERVAL_S, link_use
from stressbench.labs.priority import raise_priority
from stressbench.labs.status import LinkDirection
from stressbench.report.labs import routes_document, stats_document
from stressbench.report.renderers.text import show, standard_output

_HELP = """\
Show the traffic of both directions of each link since the lab came up, and their current utilisation.

Bytes include frame headers. `use` is the share of the link's rate over the last interval; drops are frames that arrived
at a full queue.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("stats", help=_HELP)(stats)


def stats(
    lab: LabName = None,
    watch: Annotated[bool, typer.Option("--watch", help="Repeat until Ctrl-C.")] = False,
    interval: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", min=0.1, max=MAX_LOAD_INTERVAL_S, help="Interval over which `use` is measured."
        ),
    ] = LOAD_INTERVAL_S,
    routes: Annotated[
        bool,
        typer.Option("--routes", help="Show what switches that route adaptively sent on minimal and other paths."),
    ] = False,
    as_json: LabAsJson = False,
) -> None:
    """Print the traffic and utilisation of each direction of each link; repeat with --watch."""
    raise_priority()
    with suppress(KeyboardInterrupt):
        for directions in link_use(lab, interval_s=interval, routes=routes):
            if as_json:
                print_json(directions, tuple[LinkDirection, ...])
            else:
                console = standard_output()
                if watch:
                    console.clear()
                show((routes_document if routes else stats_document)(directions), console=console)
            if not watch:
                break
