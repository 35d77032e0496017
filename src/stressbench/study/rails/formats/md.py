"""Markdown: the tables, and what makes a number doubtful."""

from stressbench.report.leaf import in_markdown
from stressbench.results.rails import RailsFound
from stressbench.study.rails.sheets import leaf_of


def render(found: RailsFound) -> str:
    """All of it."""
    return in_markdown(leaf_of(found))
