"""Markdown: the tables, and what makes a number doubtful."""

from collections.abc import Iterator

from stressbench.report.markup import md_table, md_text
from stressbench.study.degradation.curves import Degradation
from stressbench.study.degradation.sheets import headline, sheets_of


def render(found: Degradation) -> str:
    """All of it."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Degradation) -> Iterator[str]:
    yield f"# {md_text(found.about) or 'Injection bandwidth'}"
    yield ""
    yield headline(found)
    for sheet in sheets_of(found):
        yield from ("", f"## {sheet.title}", "")
        yield from md_table(sheet.head, sheet.body)
        yield from ("", sheet.reading)
    if found.notes:
        yield from ("", "## Notes", "")
        yield from (f"- {md_text(note)}" for note in found.notes)
