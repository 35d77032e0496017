"""Documents of a study: the impact of congestion on each job, cell by cell."""

from stressbench.report.document import Document
from stressbench.report.renderers import formats
from stressbench.report.study.brief_document import brief as brief
from stressbench.results.study import StudyReport
from stressbench.results.study_data import NOTHING, StudyData


def page(report: StudyReport, data: StudyData = NOTHING) -> Document:
    """The HTML page: findings, tables, figures, warnings, provenance; content computed from runs needs `data`."""
    from stressbench.report.study import html_page  # figures take a second to import

    return html_page.page(report, data)


FORMATS = formats(brief=brief, page=page, without=("text",))
