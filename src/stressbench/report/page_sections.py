"""Builders of sections with a fixed order of parts, shared by several kinds of documents."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from stressbench.report.document import (
    Block,
    DataFile,
    Fact,
    Facts,
    Figure,
    Findings,
    Heading,
    Note,
    Notes,
    Paragraph,
    Role,
    Section,
    Severity,
    Table,
)
from stressbench.report.names import printable


def brief_section(*, title: str, headline: str, tables: Iterable[Table], notes: Iterable[str]) -> Section:
    """The section for formats without figures: headline, tables and notes."""
    note_blocks = tuple(Note(text=note, severity=Severity.note) for note in notes)
    notes_block = (Notes(title="Notes", notes=note_blocks),) if note_blocks else ()
    return Section(title=title, blocks=(Paragraph(text=headline), *tables, *notes_block))


def page_section(
    *,
    key: str,
    title: str,
    findings: Iterable[str],
    notes: Iterable[str],
    figures: Iterable[Figure | DataFile],
    tables: Iterable[Table],
    summary_tables: Iterable[Table] = (),
    heading: str = "Tables",
    further_blocks: Iterable[Block] = (),
    facts: Iterable[Fact] = (),
    banner: str = "",
    names: Collection[str] = (),
) -> Section:
    """An HTML section with its parts in a fixed order.

    Banner, findings, notes, `summary_tables`, figures, `tables` under `heading`, `further_blocks`, provenance. `names`
    are those of programs, with which notes may begin.
    """
    blocks = (
        *((Paragraph(text=banner, role=Role.banner),) if banner else ()),
        Findings(sentences=tuple(findings)),
        *_notes(as_sentence(note, names=names) for note in notes),
        *summary_tables,
        *figures,
        *_with_heading(heading, (_with_key(table, f"{key}-{number}") for number, table in enumerate(tables, start=1))),
        *further_blocks,
        *provenance_blocks(facts),
    )
    return Section(key=key, title=title, blocks=blocks, page_break=True)


def provenance_blocks(facts: Iterable[Fact], *, key: str = "") -> tuple[Block, ...]:
    """The facts under the heading Provenance, whose element id is `key`; empty without facts."""
    fact_list = tuple(facts)
    return _with_heading("Provenance", (Facts(facts=fact_list),) if fact_list else (), key=key)


def as_sentence(note: str, *, names: Collection[str] = ()) -> str:
    """The note with a full stop, and with a capital unless it begins with one of these names."""
    begun = note if any(note.startswith(name) for name in names) else f"{note[:1].upper()}{note[1:]}"
    return begun if begun.endswith((".", ":")) else f"{begun}."


def _notes(notes: Iterable[str]) -> tuple[Block, ...]:
    note_blocks = tuple(Note(text=printable(note)) for note in notes)
    return (Notes(notes=note_blocks),) if note_blocks else ()


def _with_heading(heading: str, blocks: Iterable[Block], *, key: str = "") -> tuple[Block, ...]:
    content = tuple(blocks)
    return (Heading(text=heading, key=key), *content) if content else ()


def _with_key(table: Table, key: str) -> Table:
    return table if table.key else replace(table, key=key)
