"""CSV: a line for each job, number of ranks and rate; unknown is empty."""

from stressbench.report.numbers import csv_text
from stressbench.results.rates import Degradation
from stressbench.study.degradation.rows import HEAD, rows_of


def render(found: Degradation) -> str:
    """The table."""
    where = tuple(found.curves[0].where) if found.curves else ()
    return csv_text((*where, *HEAD), rows_of(found))
