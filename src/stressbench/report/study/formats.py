"""The formats of `stressbench study report`."""

from collections.abc import Callable, Mapping

from stressbench.report.document import Document
from stressbench.report.renderers import render
from stressbench.report.run.options import VerdictLimits
from stressbench.report.study import FORMATS as _WITHOUT_LIMITS
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData

_SUMMARY = "summary"


def study_formats(limits: VerdictLimits) -> Mapping[str, Callable[[StudyReport, StudyData], str]]:
    """Renderers by value of `--format`; `limits` are those of the verdicts of the summary."""

    def summary(report: StudyReport, data: StudyData) -> str:
        from stressbench.report.study.abstract import summarised  # the data of the page take a while to import

        return render(_SUMMARY, summarised(report, data, limits))

    return {**_WITHOUT_LIMITS, _SUMMARY: summary}


FORMAT_NAMES = tuple(sorted((*_WITHOUT_LIMITS, _SUMMARY)))


def checked(report: StudyReport, limits: VerdictLimits) -> Document:
    """The impacts of all cells and measured jobs as checks: one fails where its interval lies above its limit."""
    from stressbench.report.study import checks

    return checks.checked(report, limits)
