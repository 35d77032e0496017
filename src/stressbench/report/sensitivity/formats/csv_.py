"""CSV: a line for the idle machine, one beside the application, one a compression; unknown is empty."""

from collections.abc import Sequence

from stressbench.report.numbers import csv_text
from stressbench.report.sensitivity.rows import HEAD, rows_of
from stressbench.report.sensitivity.shown import Shown


def render(profiles: Sequence[Shown]) -> str:
    """The table of all applications."""
    return csv_text(HEAD, (row for one in profiles for row in rows_of(one.said)))
