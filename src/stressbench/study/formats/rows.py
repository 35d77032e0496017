"""What tables of all formats share: a row a cell and job."""

from collections.abc import Iterator
from dataclasses import dataclass

from stressbench.results.study import CellResult, JobResult, StudyReport


@dataclass(frozen=True, kw_only=True)
class Row:
    """One job of a cell; `job` is None where no run of the cell is done."""

    cell: CellResult
    values: tuple[str, ...]
    job: JobResult | None


def rows(report: StudyReport) -> Iterator[Row]:
    """In the order of the study file."""
    for cell in report.cells:
        values = tuple(cell.values.get(name, "") for name in report.factors)
        if not cell.jobs:
            yield Row(cell=cell, values=values, job=None)
        for job in cell.jobs:
            yield Row(cell=cell, values=values, job=job)
