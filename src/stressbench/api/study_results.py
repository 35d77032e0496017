"""The results of a study, as data frames over all of its runs, as a report, and as a table in a notebook."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stressbench.api.frames import Column, Columns, ColumnTypes, Library, column, columns_of, concatenated, data_frame
from stressbench.api.presentation import figure_files, notebook_table, report_text
from stressbench.api.run_results import RunResults
from stressbench.api.run_tables import (
    IMPACT_COLUMNS,
    LINK_COLUMNS,
    ROUND_COLUMNS,
    SAMPLE_COLUMNS,
    impact_table,
    link_table,
    round_table,
    sample_table,
)
from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.results import collected_runs, pages_of_runs, results_of
from stressbench.report.document import columns
from stressbench.report.run.options import DEFAULT_OPTIONS, VerdictLimits, report_options
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData

if TYPE_CHECKING:
    from stressbench.api.frames import DataFrame

_LIMITS = DEFAULT_OPTIONS.limits
_CELL_COLUMNS: ColumnTypes = {
    "job": str, "isolated_s": float, "contended_s": float, "impact": float, "low": float, "high": float, "runs": int,
    "planned": int, "failed": int, "superiority": float, "reason": str,
}  # fmt: skip


class StudyResults:
    """The results of a study, for each completed run and for each cell (a combination of one value of each factor).

    `runs` holds the results of each completed run by its id. `samples()`, `rounds()`, `impacts()` and `links()` are
    those of all runs, preceded by the columns run, cell and one for each factor that varies; `cells()` has one row
    for each cell and job. They are data frames of polars or pandas (`library`; by default the one that is installed).
    Times are in seconds; unknown values are null.
    """

    def __init__(self, directory: Directory) -> None:
        self._directory = directory
        self._collected = collected_runs(directory)
        self.runs: Mapping[str, RunResults] = {name: RunResults(run) for name, run in self._collected.runs.items()}

    def __repr__(self) -> str:
        done, planned = self.summary.done, self.summary.planned
        return f"<StudyResults of {self.path}: {len(self.summary.cells)} cells, {done} of {planned} runs>"

    @property
    def path(self) -> Path:
        """The directory of the study, as `stressbench study` commands expect it."""
        return self._directory.path

    @property
    def complete(self) -> bool:
        """Whether all runs of the study are done and none failed."""
        return all(cell.done + cell.spared == cell.planned for cell in self.summary.cells)

    @cached_property
    def _results(self) -> tuple[StudyReport, StudyData]:
        return results_of(self._directory, self._collected)

    @property
    def summary(self) -> StudyReport:
        """Times and congestion impacts of each cell and job, failures, and the matrix of jobs if pairs were run."""
        return self._results[0]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about what makes a number doubtful, and about files that cannot be read."""
        return self.summary.notes

    def samples(self, *, library: Library | None = None) -> "DataFrame":
        """`RunResults.samples` of all runs, preceded by the columns run, cell and the factors."""
        return self._frame(lambda one: sample_table(one.data), SAMPLE_COLUMNS, library)

    def rounds(self, *, library: Library | None = None) -> "DataFrame":
        """`RunResults.rounds` of all runs, preceded by the columns run, cell and the factors."""
        return self._frame(lambda one: round_table(one.data), ROUND_COLUMNS, library)

    def impacts(self, *, library: Library | None = None) -> "DataFrame":
        """`RunResults.impacts` of all runs, preceded by the columns run, cell and the factors."""
        return self._frame(lambda one: impact_table(one.summary), IMPACT_COLUMNS, library)

    def links(self, *, library: Library | None = None) -> "DataFrame":
        """`RunResults.links` of all runs, preceded by the columns run, cell and the factors."""
        return self._frame(lambda one: link_table(one.data), LINK_COLUMNS, library)

    def cells(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each cell and job, over all runs of the cell.

        Columns: cell, the factors, job, isolated_s and contended_s (medians over rounds), impact (contended over
        isolated; StressBench, Equation 3), low and high (its 95 % interval), runs, planned and failed (their numbers),
        superiority (share of pairs of an isolated and a contended round in which the contended one took longer), reason
        (why a number is null).
        """
        rows = [
            (cell.id, *(cell.values.get(name) for name in self.summary.factors), job.name, job.isolated_s,
             job.contended_s, job.impact.ratio, job.impact.low, job.impact.high, cell.done, cell.planned, cell.failed,
             job.superiority, job.impact.reason)
            for cell in self.summary.cells for job in cell.jobs
        ]  # fmt: skip
        types: ColumnTypes = {"cell": str, **dict.fromkeys(self.summary.factors, str), **_CELL_COLUMNS}
        return data_frame(columns_of(rows, types), library=library)

    def report(
        self, path: str | PathLike[str] | None = None, *, format: str = "html",  # noqa: A002  as --format
        topology: str | PathLike[str] | None = None, slowed_above: float = _LIMITS.slowed_above,
        tail_above: float = _LIMITS.tail_above, busy_above: float = _LIMITS.busy_above,
    ) -> str:  # fmt: skip
        """The report as text, in one of the formats of `stressbench study report`; also written to `path` if given.

        `topology` and the limits of verdicts are those of `stressbench.report_runs`. Raises
        `stressbench.StressBenchError` for a wrong topology or limit, ValueError for an unknown format, and OSError if
        the file cannot be written.
        """
        from stressbench.report.study.formats import FORMATS

        limits = VerdictLimits(slowed_above=slowed_above, tail_above=tail_above, busy_above=busy_above)
        options = report_options(None if topology is None else fspath(topology), limits)
        report, data = self._results
        pages = pages_of_runs(self._directory, data.files, page=None if path is None else Path(path))
        return report_text(FORMATS, format, path, report, replace(data, pages=pages), options)

    def figures(self, directory: str | PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
        """Write the figures of the HTML page into a new directory, and return the paths of the files.

        Each figure is an SVG, a PNG and a PDF, with its data as CSV; figures.json lists them. With `force`, figures in
        an existing directory are replaced. Raises `stressbench.StressBenchError` for another directory, and OSError if
        a file cannot be written.
        """
        from stressbench.report.study import page

        sources = (one.path for one in self.runs.values())
        return figure_files(page(*self._results), directory, sources=sources, force=force)

    def _frame(
        self, table_of: Callable[[RunResults], Columns], types: ColumnTypes, library: Library | None
    ) -> "DataFrame":  # fmt: skip
        tables = [self._with_labels(run, table_of(one)) for run, one in self.runs.items()]
        labels = dict.fromkeys(("run", "cell", *self.summary.factors), str)
        return data_frame(concatenated(tables, {**labels, **types}), library=library)

    def _with_labels(self, run: str, table: Columns) -> Columns:
        """The table, preceded by the columns run, cell and the factors."""
        count = len(next(iter(table.values())).values)
        cell = next(one.run.cell for one in self._collected.states if one.run.id == run)
        labels = {"run": run, "cell": cell.id, **{name: cell.values.get(name, "") for name in self.summary.factors}}
        return {**{name: _constant(text, count) for name, text in labels.items()}, **table}

    def _repr_html_(self) -> str:
        """The congestion impact of each cell and job, for notebooks."""
        from stressbench.report.units import factor, interval, time

        factors = self.summary.factors
        rows = [
            (cell.id, *(cell.values.get(name, "") for name in factors), job.name, time(job.isolated_s),
             time(job.contended_s), factor(job.impact.ratio), interval(job.impact.low, job.impact.high))
            for cell in self.summary.cells for job in cell.jobs
        ]  # fmt: skip
        return notebook_table(
            f"{self.path.name}: {self.summary.done} of {self.summary.planned} runs",
            columns(
                texts=("cell", *factors, "job"), numbers=("isolated", "contended", "congestion impact", "95 %")
            ),
            rows, notes=self.warnings,
        )  # fmt: skip


def _constant(text: str, count: int) -> Column:
    return column(np.full(count, text, dtype=object))
