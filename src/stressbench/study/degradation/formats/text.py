"""For a terminal or a log."""

from stressbench.study.degradation.curves import Degradation
from stressbench.study.degradation.sheets import leaf_of
from stressbench.study.sheet import for_terminal


def render(found: Degradation) -> str:
    """All of it."""
    return for_terminal(leaf_of(found))
