"""For a terminal or a log."""

from io import StringIO

from rich.console import Console

from stressbench.report.section import printable
from stressbench.report.terminal.page import new_table, print_table, say
from stressbench.study.degradation.curves import Degradation
from stressbench.study.degradation.sheets import headline, sheets_of


def render(found: Degradation) -> str:
    """All of it, without colours."""
    text = StringIO()
    console = Console(file=text, highlight=False, markup=False, emoji=False, color_system=None)
    if found.about:
        say(console, found.about)
    say(console, headline(found))
    for sheet in sheets_of(found):
        console.print()
        say(console, sheet.title)
        table = new_table(left=sheet.head[: sheet.words], right=sheet.head[sheet.words :])
        for row in sheet.body:
            table.add_row(*map(printable, row))
        print_table(console, table)
        say(console, sheet.reading)
    for note in found.notes:
        say(console, f"note: {note}")
    return text.getvalue()
