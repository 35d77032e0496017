"""CSV: a line a cell and job; unknown is empty."""

from collections.abc import Iterator

from stressbench.report.document import Value
from stressbench.report.renderers.csv_ import csv_text
from stressbench.results.material import NOTHING, Material
from stressbench.results.study import JobResult, StudyReport
from stressbench.study.formats.rows import rows
from stressbench.study.tails import TAIL_SHARES, tail_of

_NUMBERS = (
    "job", "isolated_s", "contended_s", "impact", "impact_low", "impact_high", "interval_from", "p99_impact",
    "p99_low", "p99_high", "p999_impact", "p999_low", "p999_high", "superiority", "more_blocks", "runs_done",
    "runs_planned", "runs_failed",
)  # fmt: skip


def render(report: StudyReport, _: Material = NOTHING) -> str:
    """The table."""
    return csv_text(("cell", *report.factors, *_NUMBERS), _lines(report))


def _lines(report: StudyReport) -> Iterator[tuple[Value, ...]]:
    for row in rows(report):
        numbers = (None,) * (len(_NUMBERS) - 3) if row.job is None else _numbers(row.job)
        yield (row.cell.id, *row.values, *numbers, row.cell.done, row.cell.planned, row.cell.failed)


def _numbers(job: JobResult) -> tuple[Value, ...]:
    tails = [tail_of(job, share) for share in TAIL_SHARES]
    return (
        job.name, job.isolated_s, job.contended_s, job.impact.ratio, job.impact.low, job.impact.high, job.impact.level,
        *(value for tail in tails for value in ((tail.ratio, tail.low, tail.high) if tail else (None,) * 3)),
        job.superiority, None if job.plan is None else job.plan.more_blocks,
    )  # fmt: skip
