"""Markdown: the tables, and what makes a number doubtful."""

from collections.abc import Sequence

from stressbench.report.leaf import in_markdown
from stressbench.report.sensitivity.shown import Shown
from stressbench.report.sensitivity.words import leaf_of


def render(profiles: Sequence[Shown]) -> str:
    """One application after the other."""
    return "\n".join(in_markdown(leaf_of(one)) for one in profiles)
