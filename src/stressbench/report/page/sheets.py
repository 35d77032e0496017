"""Numbers to take away: a table as CSV inside the page, in a link that saves it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from stressbench.report.document import Numbers, Value
from stressbench.report.renderers.csv_ import csv_text

__all__ = ["Sheet", "Value", "sheet"]
_KEPT = " ,:;/[]()+*=@!$'-._~"


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A file that the page holds: `name` to save it under, `href` with all of its text, `rows` without the head.

    `numbers` are the same for other files.
    """

    name: str
    href: str
    rows: int
    numbers: Numbers


def sheet(name: str, head: Sequence[str], rows: Iterable[Sequence[Value]]) -> Sheet:
    """Numbers in full, units as in the head; unknown is empty."""
    kept = tuple(rows)
    href = "data:text/csv;charset=utf-8," + quote(csv_text(head, kept), safe=_KEPT)
    numbers = Numbers(name=name.removesuffix(".csv"), head=tuple(head), rows=tuple(map(tuple, kept)))
    return Sheet(name=name, href=href, rows=len(kept), numbers=numbers)
