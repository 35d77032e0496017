"""Documents of a study: the impact of congestion on each job, cell by cell."""

from stressbench.report.document import Document
from stressbench.report.renderers import formats
from stressbench.report.study.in_brief import brief
from stressbench.results.material import NOTHING, Material
from stressbench.results.study import StudyReport

__all__ = ["FORMATS", "brief", "page"]


def page(report: StudyReport, material: Material = NOTHING) -> Document:
    """Findings, tables, figures, doubts, and how to repeat the study; what follows from runs needs `material`."""
    from stressbench.report.study import in_full  # figures take a second to import

    return in_full.page(report, material)


FORMATS = formats(brief=brief, page=page, without=("text",))
