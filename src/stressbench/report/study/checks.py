"""The impacts of a study as checks for continuous integration."""

from collections.abc import Iterator

from stressbench.report.document import Check, Checks, Document, Fact
from stressbench.report.impact_checks import (
    MeasuredTimes,
    impact_check,
    limit_facts,
    tail_checks,
    unmeasured_check,
)
from stressbench.report.names import printable, unique
from stressbench.report.run.options import VerdictLimits
from stressbench.report.study.page_data import factor_text_of
from stressbench.results.study import CellResult, StudyReport

_SUITE = "stressbench study report"


def checked(report: StudyReport, limits: VerdictLimits) -> Document:
    """The checks of each measured job of each cell: its congestion impact, and its tail impacts from percentile 95 on.

    A group is a job, after the values of its cell. A cell without a completed run has one check, which is skipped.
    """
    cells = unique(factor_text_of(cell, report.factors) or cell.id for cell in report.cells)
    checks = [
        check
        for name, cell in zip(cells, report.cells, strict=True)
        for check in _checks_of(cell, name=name, limits=limits)
    ]
    facts = (
        Fact(name="study", value=printable(report.about)),
        Fact(name="runs", value=f"{report.done} of {report.planned}"),
        *limit_facts(limits),
    )
    return Document(title=_SUITE, sections=(), checks=Checks(name=_SUITE, facts=facts, checks=tuple(checks)))


def _checks_of(cell: CellResult, *, name: str, limits: VerdictLimits) -> Iterator[Check]:
    if not cell.jobs:
        failed = f", {cell.failed} failed" if cell.failed else ""
        yield unmeasured_check(group=name, reason=f"0 of {cell.planned} runs are done{failed}")
    measured = [job for job in cell.jobs if job.plan is not None]
    for job_name, job in zip(unique(job.name for job in measured), measured, strict=True):
        group = f"{name}: {job_name}"
        times = MeasuredTimes(isolated_s=job.isolated_s, contended_s=job.contended_s)
        yield impact_check(job.impact, times, group=group, limit=limits.slowed_above)
        yield from tail_checks(job.tails, group=group, limit=limits.tail_above)
