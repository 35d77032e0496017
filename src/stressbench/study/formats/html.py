"""HTML: one page with words, tables and figures, complete in itself."""

from stressbench.results.material import NOTHING, Material
from stressbench.results.study import StudyReport


def render(report: StudyReport, material: Material = NOTHING) -> str:
    """The whole page."""
    from stressbench.study.page import render as page  # takes a second to import, which other formats need not wait for

    return page(report, material)
