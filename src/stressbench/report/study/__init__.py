"""Documents of a study: the impact of congestion on each job, cell by cell."""

from stressbench.report.document import Document
from stressbench.report.renderers import formats
from stressbench.report.run.options import DEFAULT_OPTIONS, ReportOptions
from stressbench.results.study import StudyReport
from stressbench.results.study_data import NOTHING, StudyData


def brief(report: StudyReport, data: StudyData = NOTHING, options: ReportOptions = DEFAULT_OPTIONS) -> Document:
    """The document for formats without figures; the place in the network needs the runs in `data`."""
    from stressbench.report.study import brief_document  # the statistics take half a second to import

    return brief_document.brief(report, data, options)


def page(report: StudyReport, data: StudyData = NOTHING, options: ReportOptions = DEFAULT_OPTIONS) -> Document:
    """The HTML page: answers, tables, figures, warnings, provenance; content computed from runs needs `data`."""
    from stressbench.report.study import html_page  # figures take a second to import

    return html_page.page(report, data, options)


FORMATS = formats(brief=brief, page=page, without=("text",))
