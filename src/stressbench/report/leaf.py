"""Tables of words that formats for people print each in its way."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO

from stressbench.console import Console
from stressbench.report.markup import md_table, md_text
from stressbench.report.section import printable
from stressbench.report.terminal.page import new_table, print_table, say


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A table: of each row the first `words` columns are words, the others numbers; `reading` says how to read it."""

    title: str
    words: int
    head: tuple[str, ...]
    body: tuple[tuple[str, ...], ...]
    reading: str


@dataclass(frozen=True, kw_only=True)
class Leaf:
    """All that a format for people prints; without a `title` Markdown has the one of its kind, `kind`."""

    title: str
    kind: str
    headline: str
    sheets: tuple[Sheet, ...]
    notes: tuple[str, ...]


def in_markdown(leaf: Leaf) -> str:
    """Title, tables, notes."""
    return "\n".join(_md_lines(leaf)) + "\n"


def _md_lines(leaf: Leaf) -> Iterator[str]:
    yield f"# {md_text(leaf.title) or leaf.kind}"
    yield ""
    yield md_text(leaf.headline)
    for sheet in leaf.sheets:
        yield from ("", f"## {md_text(sheet.title)}", "")
        yield from md_table(sheet.head, sheet.body)
        yield from ("", md_text(sheet.reading))
    if leaf.notes:
        yield from ("", "## Notes", "")
        yield from (f"- {md_text(note)}" for note in leaf.notes)


def for_terminal(leaf: Leaf) -> str:
    """The same for a terminal or a log, without colours."""
    text = StringIO()
    console = Console(file=text, highlight=False, markup=False, emoji=False, color_system=None)
    for line in _said_first(leaf):
        say(console, line)
    for sheet in leaf.sheets:
        console.print()
        say(console, sheet.title)
        table = new_table(left=sheet.head[: sheet.words], right=sheet.head[sheet.words :])
        for row in sheet.body:
            table.add_row(*map(printable, row))
        print_table(console, table)
        say(console, sheet.reading)
    for note in leaf.notes:
        say(console, f"note: {note}")
    return text.getvalue()


def _said_first(leaf: Leaf) -> Iterable[str]:
    return (line for line in (leaf.title, leaf.headline) if line)
