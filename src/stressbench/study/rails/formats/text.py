"""For a terminal or a log."""

from stressbench.study.rails.findings import RailsFound
from stressbench.study.rails.sheets import leaf_of
from stressbench.study.sheet import for_terminal


def render(found: RailsFound) -> str:
    """All of it."""
    return for_terminal(leaf_of(found))
