"""Sections of the same parts in the same order, as documents of sweeps, profiles and predictions have them."""

from collections.abc import Iterable, Iterator
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
    Section,
    Severity,
    Table,
)
from stressbench.report.names import printable

ORIGIN = "Where these numbers come from"


def brief_section(*, title: str, headline: str, tables: Iterable[Table], notes: Iterable[str]) -> Section:
    """What formats without figures print."""
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
    facts: Iterable[Fact] = (),
) -> Section:
    """A page's section: findings, notes, figures with their numbers, tables, and where the numbers come from."""
    parts = _parts(tuple(notes), tuple(figures), tuple(tables), tuple(facts), key=key)
    blocks = (Findings(sentences=tuple(findings)), *parts)
    return Section(key=key, title=title, blocks=blocks, new_sheet=True)


def _parts(
    notes: tuple[str, ...],
    figures: tuple[Figure | Numbers, ...],
    tables: tuple[Table, ...],
    facts: tuple[Fact, ...],
    *,
    key: str,
) -> Iterator[Block]:
    if notes:
        yield Notes(notes=tuple(Note(text=printable(note)) for note in notes))
    yield from figures
    if tables:
        yield Heading(text="In numbers")
        yield from (replace(table, key=f"{key}-{number}") for number, table in enumerate(tables, start=1))
    if facts:
        yield Heading(text=ORIGIN)
        yield Facts(facts=facts)
