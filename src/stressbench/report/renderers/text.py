"""Plain text for a terminal or a log, printed by rich: tables are as wide as needed, sentences are not broken."""

import sys
from collections.abc import Iterable
from io import StringIO

from rich.box import SIMPLE_HEAD
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from stressbench.console import Console
from stressbench.report.document import (
    Block,
    BulletList,
    Collapsible,
    Document,
    Facts,
    Findings,
    Heading,
    Note,
    Notes,
    Paragraph,
    Preformatted,
    Role,
    Severity,
    Table,
    cell_text,
)
from stressbench.report.names import printable

_MAX_WIDTH = 10_000
_UNSTYLED = (Severity.caution,)
_STYLES = {Role.key: "dim", Role.note: "dim", Role.warning: "yellow", Role.banner: "yellow"}


def standard_output() -> Console:
    """The console on which commands print. Markup is off, because texts of a run file are data."""
    return Console(file=sys.stdout, highlight=False, markup=False, emoji=False)


def render(document: Document) -> str:
    """The document as text without colours."""
    text = StringIO()
    show(document, console=Console(file=text, highlight=False, markup=False, emoji=False, color_system=None))
    return text.getvalue()


def show(document: Document, *, console: Console | None = None) -> None:
    """Print the document: on standard output, or on `console`."""
    console = console or standard_output()
    for number, section in enumerate(document.sections):
        if number:
            console.print()
        title = section.title or document.title
        if title:
            _line(console, title)
        _show(console, section.blocks, is_first=not number and not title)


def _show(console: Console, blocks: Iterable[Block], *, is_first: bool = False) -> None:
    """Print the blocks. `is_first`: nothing was printed before them, so that a table needs no blank line above it."""
    after_bare_table = False
    for number, block in enumerate(blocks):
        if after_bare_table and not isinstance(block, Table):
            console.print()
        after_bare_table = isinstance(block, Table) and not block.caption
        match block:
            case Paragraph(role=Role.lead):
                console.print(Text(block.text))
            case Paragraph():
                _line(console, block.text, style=_STYLES.get(block.role, ""))
            case Heading():
                console.print()
                _line(console, block.text)
            case Findings(sentences=lines) | BulletList(items=lines):
                _lines(console, lines)
            case Preformatted():
                _lines(console, block.text.splitlines())
            case Facts():
                _lines(console, (f"{fact.name}: {fact.value}" for fact in block.facts))
            case Notes():
                for note in block.notes:
                    _note(console, note)
            case Table():
                if number or not is_first:
                    console.print()
                _table(console, block)
            case Collapsible():
                _show(console, block.blocks)


def _lines(console: Console, lines: Iterable[str]) -> None:
    for line in lines:
        _line(console, line)


def _note(console: Console, note: Note) -> None:
    about = f"{note.about}: " if note.about else ""
    _line(console, f"{note.severity}: {about}{note.text}", style="" if note.severity in _UNSTYLED else "yellow")


def _table(console: Console, table: Table) -> None:
    if table.title:
        _line(console, table.title)
    rich_table = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column in table.columns:
        rich_table.add_column(column.label, no_wrap=True, justify="right" if column.number else "left")
    for number, row in enumerate(table.rows):
        if number and number in table.groups:
            rich_table.add_section()
        first, *others = (printable(cell_text(cell)) for cell in row)
        rich_table.add_row(Text(first, style="bold" if number in table.groups else ""), *others)
    _print_table(console, rich_table)
    if table.caption:
        _line(console, table.caption)


def _print_table(console: Console, table: RichTable) -> None:
    """Print the table as wide as its content: narrow terminals wrap the lines, and no cell is truncated."""
    needed_width = Measurement.get(console, console.options.update(width=_MAX_WIDTH), table).maximum
    original_width = console.width
    console.width = max(needed_width, original_width)
    console.print(table)
    console.width = original_width


def _line(console: Console, sentence: str, *, style: str = "") -> None:
    """Print one line without breaks: the terminal wraps it, a log keeps it whole."""
    console.print(Text(printable(sentence), style=style), soft_wrap=True)
