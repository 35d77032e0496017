"""The formats of `stressbench study report`."""

from stressbench.report.document import Document
from stressbench.report.renderers import render
from stressbench.report.run.options import DEFAULT_OPTIONS, ReportOptions, VerdictLimits
from stressbench.report.study import FORMATS as _WITHOUT_SUMMARY
from stressbench.results.study import StudyReport
from stressbench.results.study_data import NOTHING, StudyData

_SUMMARY = "summary"


def _summary(report: StudyReport, data: StudyData = NOTHING, options: ReportOptions = DEFAULT_OPTIONS) -> str:
    from stressbench.report.study.abstract import summarised  # the data of the page take a while to import

    return render(_SUMMARY, summarised(report, data, options.limits))


FORMATS = {**_WITHOUT_SUMMARY, _SUMMARY: _summary}
"""Renderers by value of `--format`."""


def checked(report: StudyReport, limits: VerdictLimits) -> Document:
    """The impacts of all cells and measured jobs as checks: one fails where its interval lies above its limit."""
    from stressbench.report.study import checks

    return checks.checked(report, limits)
