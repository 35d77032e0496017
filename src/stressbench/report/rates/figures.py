"""The figures of a degradation."""

from stressbench.report.document import Figure
from stressbench.report.drawing import style
from stressbench.report.rates.by_ranks import draw_by_ranks
from stressbench.report.rates.by_rate import draw_by_rate
from stressbench.results.rates import Degradation


def draw(degradation: Degradation) -> tuple[Figure, ...]:
    """Factors against the rate, then against the number of ranks."""
    with style():
        return (*draw_by_rate(degradation), *draw_by_ranks(degradation))
