"""HTML: one page with factors against rate and against ranks, and the tables."""

from stressbench.results.rates import Degradation


def render(found: Degradation) -> str:
    """All of it."""
    from stressbench.study.degradation.page import render_page  # figures take a second to import

    return render_page(found)
