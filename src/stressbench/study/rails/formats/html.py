"""HTML: one page with box plots, bandwidth by size, and the tables."""

from stressbench.results.rails import RailsFound


def render(found: RailsFound) -> str:
    """All of it."""
    from stressbench.study.rails.page import render_page  # figures take a second to import

    return render_page(found)
