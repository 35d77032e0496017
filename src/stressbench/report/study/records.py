"""A study as records: one per cell and job."""

from collections.abc import Iterator
from dataclasses import dataclass

from stressbench.report.document import DataFile, Value
from stressbench.report.study.tails import TAIL_SHARES, tail_of
from stressbench.results.study import CellResult, JobResult, StudyReport

_NUMBERS = (
    "job", "isolated_s", "contended_s", "impact", "impact_low", "impact_high", "interval_from", "p99_impact",
    "p99_low", "p99_high", "p999_impact", "p999_low", "p999_high", "superiority", "more_blocks", "runs_done",
    "runs_planned", "runs_failed",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Row:
    """One job of a cell; `job` is None if no run of the cell is done."""

    cell: CellResult
    values: tuple[str, ...]
    job: JobResult | None


def rows_of(report: StudyReport) -> Iterator[Row]:
    """A row for each cell and job, in the order of the study file."""
    for cell in report.cells:
        values = tuple(cell.values.get(name, "") for name in report.factors)
        for job in cell.jobs or (None,):
            yield Row(cell=cell, values=values, job=job)


def records_of(report: StudyReport) -> DataFile:
    """Records of all cells and jobs; None is unknown."""
    return DataFile(name="study", head=("cell", *report.factors, *_NUMBERS), rows=tuple(_records(report)))


def _records(report: StudyReport) -> Iterator[tuple[Value, ...]]:
    for row in rows_of(report):
        values = (None,) * (len(_NUMBERS) - 3) if row.job is None else _values(row.job)
        yield (row.cell.id, *row.values, *values, row.cell.done, row.cell.planned, row.cell.failed)


def _values(job: JobResult) -> tuple[Value, ...]:
    tails = [tail_of(job, share) for share in TAIL_SHARES]
    return (
        job.name, job.isolated_s, job.contended_s, job.impact.ratio, job.impact.low, job.impact.high, job.impact.level,
        *(value for tail in tails for value in ((tail.ratio, tail.low, tail.high) if tail else (None,) * 3)),
        job.superiority, None if job.plan is None else job.plan.more_blocks,
    )  # fmt: skip
