"""`stressbench lab set`: change links of a running lab."""

from typing import Annotated

import typer

from stressbench.cli.options.lab import STATUS, LabName
from stressbench.console import note
from stressbench.experiments.lab import change_links
from stressbench.labs.priority import raise_priority

_HELP = f"""\
Change links of a running lab; programs that run on it continue.

LINK is a link's name as `stressbench lab stats` shows it, a pattern, a node (all its links), `hosts` (all NICs of
hosts) or `all`. CHANGE is rate=RATE, rate=half|quarter|eighth|full or rate=1/3 (of the file's rate), down, or up.

\b
Examples:
    stressbench lab set h0-s0 rate=10Mbit
    stressbench lab set hosts rate=quarter
    stressbench lab set 'leaf0-*' down
    stressbench lab set all rate=full

{STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("set", help=_HELP)(set_links)


def set_links(
    link: Annotated[str, typer.Argument(metavar="LINK", help="Links to change.", show_default=False)],
    change: Annotated[str, typer.Argument(metavar="CHANGE", help="Change to apply.", show_default=False)],
    lab: LabName = None,
) -> None:
    """Change the links, and print one line per link."""
    raise_priority()
    applied, links = change_links(link, change, lab=lab)
    for one in links:
        now = {True: "up", False: "down", None: f"at {applied.rate_of(one)}"}[applied.is_up]
        note(f"{one.name} is {now}")
