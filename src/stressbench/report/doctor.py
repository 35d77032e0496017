"""The document of `stressbench doctor`: its findings, with what will go wrong and what to type."""

from collections.abc import Iterator

from stressbench.report.document import Cell, Document, Section, Table, columns
from stressbench.report.units import count
from stressbench.results.doctor import Diagnosis, Finding, Level


def doctor_document(diagnosis: Diagnosis) -> Document:
    """A row for each finding; below it what will go wrong, and what to type."""
    rows = tuple(row for finding in diagnosis.findings for row in _rows(finding))
    table = Table(columns=columns(texts=("level", "check", "finding")), rows=rows)
    return Document(title="", sections=(Section(blocks=(table,)),), value=diagnosis)


def summary_text(diagnosis: Diagnosis) -> str:
    """The numbers of errors and warnings."""
    numbers = ", ".join(count(diagnosis.count(level), level.value) for level in (Level.error, Level.warning))
    return f"{numbers} on {diagnosis.target}"


def _rows(finding: Finding) -> Iterator[tuple[Cell, ...]]:
    yield finding.level.value, finding.check, finding.found
    if finding.consequence is not None:
        yield "", "", f"  consequence: {finding.consequence}"
    if finding.remedy is not None:
        yield "", "", f"  remedy: {finding.remedy}"
