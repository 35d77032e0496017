"""Pages that say what was found, draw it, and have it in tables: chapters of the same parts, through one template."""

from collections.abc import Iterable
from dataclasses import dataclass

from stressbench import __version__
from stressbench.report.drawing import Figure
from stressbench.report.leaf import Sheet as Words
from stressbench.report.page.provenance import Fact
from stressbench.report.page.sheets import Sheet
from stressbench.report.page.tables import Column, Table
from stressbench.report.page.template import environment, style_sheet
from stressbench.report.section import printable


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """What is said of one subject; `key` begins every id in it. Each figure has the file of its numbers, or None."""

    key: str
    title: str
    findings: tuple[str, ...]
    notes: tuple[str, ...]
    figures: tuple[tuple[Figure, Sheet | None], ...]
    tables: tuple[Table, ...]
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Plain:
    """A page: `lead` says what it is about, `foot` how its numbers come about. Texts are escaped by the template."""

    title: str
    lead: str
    chapters: tuple[Chapter, ...]
    foot: str


def render_plain(page: Plain) -> str:
    """The page as HTML text."""
    return environment().get_template("plain.html.j2").render(page=page, style=style_sheet(), version=__version__)


def tables_of(sheets: Iterable[Words], *, key: str) -> tuple[Table, ...]:
    """Tables of words as tables of a page, numbered from 1 behind `key`."""
    return tuple(_table(sheet, key=f"{key}-{number}") for number, sheet in enumerate(sheets, start=1))


def _table(sheet: Words, *, key: str) -> Table:
    columns = tuple(Column(head=printable(head), number=place >= sheet.words) for place, head in enumerate(sheet.head))
    rows = tuple(tuple(map(printable, row)) for row in sheet.body)
    return Table(key=key, caption=f"{sheet.title}. {sheet.reading}", columns=columns, rows=rows)
