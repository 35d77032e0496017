"""The numbers behind a figure in full, and their text as CSV."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stressbench.console import escaped

Value: TypeAlias = str | float | int | None
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """A table: `name` of its file without an ending, heads with units, rows; unknown is None.

    All values of a column are of one kind: text, or numbers.
    """

    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """Numbers with all their digits; unknown is empty. What a spreadsheet would take for a formula has a ' before.

    Control characters are shown: who prints the file finds no command to the terminal in it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_guarded(name) for name in head])
    writer.writerows([_guarded(value) for value in row] for row in rows)
    return text.getvalue()


def _guarded(value: Value) -> Value:
    if not isinstance(value, str):
        return value
    return escaped(f"'{value}" if value.startswith(_FORMULA) and not _is_number(value) else value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
