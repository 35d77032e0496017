"""Markdown: the tables, and what makes a number doubtful."""

from stressbench.report.leaf import in_markdown
from stressbench.results.rates import Degradation
from stressbench.study.degradation.sheets import leaf_of


def render(found: Degradation) -> str:
    """All of it."""
    return in_markdown(leaf_of(found))
