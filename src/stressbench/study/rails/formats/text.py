"""For a terminal or a log."""

from stressbench.report.leaf import for_terminal
from stressbench.results.rails import RailsFound
from stressbench.study.rails.sheets import leaf_of


def render(found: RailsFound) -> str:
    """All of it."""
    return for_terminal(leaf_of(found))
