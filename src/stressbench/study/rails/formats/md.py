"""Markdown: the tables, and what makes a number doubtful."""

from stressbench.study.rails.findings import RailsFound
from stressbench.study.rails.sheets import leaf_of
from stressbench.study.sheet import in_markdown


def render(found: RailsFound) -> str:
    """All of it."""
    return in_markdown(leaf_of(found))
