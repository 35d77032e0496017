"""Markdown: sections with their findings, tables and notes; figures and data files appear only in HTML.

Rows are joined here rather than by a library: rich and tabulate pad cells, so that one long cell changes every line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from stressbench.console import escaped
from stressbench.report.document import (
    Block,
    BulletList,
    Collapsible,
    Document,
    Facts,
    Findings,
    Heading,
    Notes,
    Paragraph,
    Section,
    Table,
    cell_text,
)

_ENTITY = re.compile(r"&(?=#?\w+;)")


def render(document: Document) -> str:
    """Each section under a top-level heading."""
    return "\n".join(_section(section, document) for section in document.sections)


def _section(section: Section, document: Document) -> str:
    title = section.title or document.title
    parts = [*([[f"# {text_of(title)}"]] if title else []), *_parts(section.blocks)]
    return "\n".join(line for part in parts for line in (*part, ""))


def _parts(blocks: Iterable[Block]) -> Iterator[Sequence[str]]:
    """Lines of each part; the caller puts a blank line after each."""
    for block in blocks:
        match block:
            case Paragraph():
                yield [text_of(block.text)]
            case Heading():
                yield [f"## {text_of(block.text)}"]
            case Findings(sentences=items) | BulletList(items=items):
                yield _listed(items)
            case Notes():
                if block.title:
                    yield [f"## {text_of(block.title)}"]
                yield _listed(f"{one.about}: {one.text}" if one.about else one.text for one in block.notes)
            case Facts():
                yield _listed(f"{fact.name}: {fact.value}" for fact in block.facts)
            case Table():
                yield from _table(block)
            case Collapsible():
                yield from _parts(block.blocks)


def _listed(items: Iterable[str]) -> list[str]:
    return [f"- {text_of(item)}" for item in items]


def _table(table: Table) -> Iterator[Sequence[str]]:
    if table.title:
        yield [f"## {text_of(table.title)}"]
    head = [text_of(column.label) for column in table.columns]
    rows = chain([head, ["---"] * len(head)], ([text_of(cell_text(cell)) for cell in row] for row in table.rows))
    yield [f"| {' | '.join(row)} |" for row in rows]
    if table.caption:
        yield [text_of(table.caption)]


def text_of(text: str) -> str:
    """The text on one line, with bars, HTML, entities, links, link definitions and control characters escaped."""
    text = _ENTITY.sub("&amp;", text).replace("<", "&lt;")
    for mark, harmless in (("\\", "\\\\"), ("](", "]\\("), ("]:", "]\\:"), ("|", "\\|")):
        text = text.replace(mark, harmless)
    return " ".join(escaped(word) for word in text.split())
