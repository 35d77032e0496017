"""The document of `stressbench clean`: files that killed launches left behind."""

from collections.abc import Sequence

from stressbench.report.document import BulletList, Document, Note, Notes, Section, Severity
from stressbench.report.units import count, size
from stressbench.results.leftovers import CleanedLeftover


def document_of(leftovers: Sequence[CleanedLeftover]) -> Document:
    """A line for each leftover that was removed or would be."""
    lines = tuple(f"{one.path}: {one.kind}, {size(one.bytes)}" for one in leftovers if one.reason is None)
    return Document(title="", sections=(Section(blocks=(BulletList(items=lines),)),), value=leftovers)


def failures_of(leftovers: Sequence[CleanedLeftover]) -> tuple[str, ...]:
    """A sentence for each leftover that could not be removed."""
    return tuple(f"{one.path}: {one.reason}" for one in leftovers if one.reason is not None)


def summary_text(leftovers: Sequence[CleanedLeftover], *, dry_run: bool) -> str:
    """The number of leftovers that were removed or would be, and their size."""
    removed = [one.bytes for one in leftovers if one.reason is None]
    return f"{count(len(removed), 'leftover')}, {size(sum(removed))}, {'would be removed' if dry_run else 'removed'}"


def full_document(leftovers: Sequence[CleanedLeftover], *, dry_run: bool) -> Document:
    """The lines, the failures and the summary."""
    lines, notes = document_of(leftovers).sections[0].blocks, failures_of(leftovers)
    failures = Notes(notes=tuple(Note(text=text, severity=Severity.error) for text in notes), title="")
    section = Section(blocks=(*lines, failures))
    return Document(title=summary_text(leftovers, dry_run=dry_run), sections=(section,), value=leftovers)
