"""For a terminal or a log."""

from stressbench.report.leaf import for_terminal
from stressbench.results.rates import Degradation
from stressbench.study.degradation.sheets import leaf_of


def render(found: Degradation) -> str:
    """All of it."""
    return for_terminal(leaf_of(found))
