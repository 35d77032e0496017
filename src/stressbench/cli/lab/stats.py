"""`stressbench lab stats`."""

import time
from typing import Annotated

import typer

from stressbench.cli.lab.common import AsJson, LabName, print_json, told
from stressbench.console import Console
from stressbench.lab.attention import be_prompt
from stressbench.lab.counters import Direction, count, directions
from stressbench.lab.lifecycle import Running, chosen
from stressbench.lab.units import Rate
from stressbench.report.renderers.text import new_table, print_table, standard_output

_HELP = """\
Show what each link has carried since the lab came up, each direction by itself, and how busy it is now.

Bytes are those of frames with their headers. `use` is the share of the link's rate over the last interval; drops are
frames that found the queue full.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("stats", help=_HELP)(stats)


def stats(
    lab: LabName = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on until Ctrl-C.")] = False,
    interval: Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="How long `use` is looked at.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Look twice, print; again with --watch."""
    with told():
        running = chosen(lab)
        be_prompt()
        try:
            _show(running, interval=interval, watch=watch, as_json=as_json)
        except KeyboardInterrupt:
            raise typer.Exit(0) from None


def _show(running: Running, *, interval: float, watch: bool, as_json: bool) -> None:
    before = count(running)
    while True:
        time.sleep(interval)
        now = count(running)
        found = directions(now, before=before)
        if as_json:
            print_json(found, tuple[Direction, ...])
        else:
            console = standard_output()
            if watch:
                console.clear()
            _print(console, found)
        if not watch:
            return
        before = now


def _print(console: Console, found: tuple[Direction, ...]) -> None:
    table = new_table(left=("link", "from", "to"), right=("rate", "use", "bytes", "frames", "drops", "waiting"))
    for one in found:
        use = "down" if not one.is_up else "" if one.use is None else f"{one.use:.1%}"
        numbers = (f"{value:,}" for value in (one.bytes, one.frames, one.drops, one.waiting_bytes))
        table.add_row(one.link, one.source, one.target, str(Rate(one.rate_bits_per_s)), use, *numbers)
    print_table(console, table)
