"""`stressbench lab stats`: traffic and utilisation of the links of a lab."""

from contextlib import suppress
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson, LabName
from stressbench.console import Console
from stressbench.experiments.lab import LOAD_INTERVAL_S, link_use
from stressbench.formats.units import Rate
from stressbench.labs.counters import LinkDirection
from stressbench.labs.priority import raise_priority
from stressbench.report.renderers.text import new_table, print_table, standard_output

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
        float, typer.Option(metavar="SECONDS", min=0.1, help="Interval over which `use` is measured.")
    ] = LOAD_INTERVAL_S,
    as_json: LabAsJson = False,
) -> None:
    """Print the traffic and utilisation of each direction of each link; repeat with --watch."""
    raise_priority()
    with suppress(KeyboardInterrupt):
        for directions in link_use(lab, interval_s=interval):
            if as_json:
                print_json(directions, tuple[LinkDirection, ...])
            else:
                console = standard_output()
                if watch:
                    console.clear()
                _print(console, directions)
            if not watch:
                break


def _print(console: Console, directions: tuple[LinkDirection, ...]) -> None:
    table = new_table(left=("link", "from", "to"), right=("rate", "use", "bytes", "frames", "drops", "waiting"))
    for one in directions:
        use = "down" if not one.is_up else "" if one.use is None else f"{one.use:.1%}"
        numbers = (f"{value:,}" for value in (one.bytes, one.frames, one.drops, one.waiting_bytes))
        table.add_row(one.link, one.source, one.target, str(Rate(one.rate_bits_per_s)), use, *numbers)
    print_table(console, table)
