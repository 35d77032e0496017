"""Documents of runs: the slowdown of each job, its placement, and how to repeat the run."""

from collections.abc import Sequence

from stressbench.formats.run import Run
from stressbench.report.document import Document
from stressbench.report.renderers import formats
from stressbench.report.run.options import DEFAULT_OPTIONS, ReportOptions


def brief(runs: Sequence[Run], options: ReportOptions = DEFAULT_OPTIONS) -> Document:
    """The document for formats without figures: findings, tables, plans and warnings of each run."""
    from stressbench.report.run import brief_document  # the statistics take half a second to import

    return brief_document.brief(runs, options)


def page(runs: Sequence[Run], options: ReportOptions = DEFAULT_OPTIONS) -> Document:
    """The HTML page of at least one run: the same with figures and provenance."""
    from stressbench.report.run import html_page  # figures take a second to import

    return html_page.page(runs, options)


def checked(runs: Sequence[Run], options: ReportOptions = DEFAULT_OPTIONS) -> Document:
    """The impacts of all measured jobs as checks: one fails where its interval lies above the limit in `options`."""
    from stressbench.report.run import checks

    return checks.checked(runs, options)


FORMATS = formats(brief=brief, page=page, without=("text",), also=("summary",))
