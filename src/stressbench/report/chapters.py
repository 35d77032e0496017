"""Builders of sections with a fixed order of parts, shared by several kinds of documents."""

from collections.abc import Iterable
from dataclasses import replace

from stressbench.report.document import (
    Block,
    Fact,
    Facts,
    Figure,
    Findings,
    Heading,
    Note,
    Notes,
    Numbers,
    Paragraph,
    Role,
    Section,
    Severity,
    Table,
)
from stressbench.report.names import printable


def brief_section(*, title: str, headline: str, tables: Iterable[Table], notes: Iterable[str]) -> Section:
    """The section for formats without figures: headline, tables and notes."""
    told = tuple(Note(text=note, severity=Severity.note) for note in notes)
    last = (Notes(title="Notes", notes=told),) if told else ()
    return Section(title=title, blocks=(Paragraph(text=headline), *tables, *last))


def chapter(
    *,
    key: str,
    title: str,
    findings: Iterable[str],
    notes: Iterable[str],
    figures: Iterable[Figure | Numbers],
    tables: Iterable[Table],
    first: Iterable[Table] = (),
    heading: str = "Tables",
    more: Iterable[Block] = (),
    facts: Iterable[Fact] = (),
    banner: str = "",
) -> Section:
    """An HTML section: banner, findings, notes, `first`, figures, `tables` under `heading`, `more`, provenance."""
    blocks = (
        *((Paragraph(text=banner, role=Role.banner),) if banner else ()),
        Findings(sentences=tuple(findings)),
        *_notes(notes),
        *first,
        *figures,
        *_below(heading, (_with_key(table, f"{key}-{number}") for number, table in enumerate(tables, start=1))),
        *more,
        *origin(facts),
    )
    return Section(key=key, title=title, blocks=blocks, new_sheet=True)


def origin(facts: Iterable[Fact]) -> tuple[Block, ...]:
    """The facts under the heading Provenance; empty without facts."""
    told = tuple(facts)
    return _below("Provenance", (Facts(facts=told),) if told else ())


def _notes(notes: Iterable[str]) -> tuple[Block, ...]:
    told = tuple(Note(text=printable(note)) for note in notes)
    return (Notes(notes=told),) if told else ()


def _below(heading: str, blocks: Iterable[Block]) -> tuple[Block, ...]:
    found = tuple(blocks)
    return (Heading(text=heading), *found) if found else ()


def _with_key(table: Table, key: str) -> Table:
    return table if table.key else replace(table, key=key)
