"""Printing that loses no number: a table gets the width it needs, sentences flow."""

import sys
from collections.abc import Iterable

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from stressbench.console import Console
from stressbench.report.names import printable

_WIDEST = 10_000


def standard_output() -> Console:
    """Where commands print. Texts of a run file are data, never markup."""
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def new_table(*, left: Iterable[str], right: Iterable[str], last: Iterable[str] = ()) -> Table:
    """A table whose `left` and `last` columns hold words and whose `right` columns hold numbers."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in left:
        table.add_column(title, no_wrap=True)
    for title in right:
        table.add_column(title, no_wrap=True, justify="right")
    for title in last:
        table.add_column(title, no_wrap=True)
    return table


def print_table(console: Console, table: Table) -> None:
    """As wide as its content: narrow terminals wrap lines, nothing is cut."""
    needed = Measurement.get(console, console.options.update(width=_WIDEST), table).maximum
    given = console.width
    console.width = max(needed, given)
    console.print(table)
    console.width = given


def say(console: Console, sentence: str, *, style: str = "") -> None:
    """One line that the terminal wraps, so that a log keeps it whole."""
    console.print(Text(printable(sentence), style=style), soft_wrap=True)
