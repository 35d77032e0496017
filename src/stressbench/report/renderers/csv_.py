"""CSV: the document's records in full precision; unknown values are empty."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from stressbench.console import escaped
from stressbench.report.document import Document, Value

_FORMULA = re.compile(r"[\t\r]|\s*[=+@\uff1d\uff0b\uff0d\uff20-]")  # full-width signs also begin formulas


def render(document: Document) -> str:
    """The records as text."""
    assert document.records is not None
    return csv_text(document.records.head, document.records.rows)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """CSV with numbers in full precision; None is empty. Text that looks like a formula gets a leading '.

    Control characters are escaped, so that a printed file cannot send commands to the terminal.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_escape_formula(name) for name in head])
    writer.writerows([_escape_formula(value) for value in row] for row in rows)
    return text.getvalue()


def _escape_formula(value: Value) -> Value:
    if not isinstance(value, str):
        return value
    return escaped(f"'{value}" if _FORMULA.match(value) and not _is_number(value) else value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
