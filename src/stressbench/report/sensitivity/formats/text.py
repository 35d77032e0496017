"""For a terminal or a log."""

from collections.abc import Sequence

from stressbench.report.leaf import for_terminal
from stressbench.report.sensitivity.shown import Shown
from stressbench.report.sensitivity.words import leaf_of


def render(profiles: Sequence[Shown]) -> str:
    """One application after the other."""
    return "\n".join(for_terminal(leaf_of(one)) for one in profiles)
