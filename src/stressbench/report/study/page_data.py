"""Data of a study's figures and tables, computed from its runs: one `CellJob` per cell and job over all runs. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import Job, Role, Run
from stressbench.report.names import printable
from stressbench.report.units import MISSING, count
from stressbench.results.selections import Selections, selections_of
from stressbench.results.study import CellResult, JobResult, StudyReport
from stressbench.results.study_data import StudyData, cell_of
from stressbench.stats import Selection, congestion_impact
from stressbench.stats.pooled import IntervalLevel

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class CellJob:
    """One job of a cell. `tone` numbers jobs over the whole study; times are measured repetitions of all runs."""

    cell: CellResult
    job: JobResult
    tone: int
    factor_text: str
    values: tuple[str, ...]
    other_jobs: tuple[str, ...]
    measured: bool
    blocks: int
    isolated_s: Floats
    contended_s: Floats

    @property
    def name(self) -> str:
        """The printable name of the job."""
        return printable(self.job.name)

    @property
    def n(self) -> str:
        """The sample size of the interval as text: runs, or blocks and runs."""
        if self.job.impact.level is IntervalLevel.runs:
            return count(self.job.impact.runs, "run")
        return f"{count(self.blocks, 'block')} of {count(self.cell.done, 'run')}" if self.blocks else MISSING


@dataclass(frozen=True, kw_only=True, eq=False)
class SlowestHostShare:
    """How often a host was a job's slowest in one run: in `times_slowest` of `samples`.

    `expected`: how often it would be if all hosts were alike.
    """

    host: str
    run: str
    times_slowest: int
    samples: int
    expected: float


@dataclass(frozen=True, kw_only=True, eq=False)
class TimelinePoint:
    """One job of one run: the time `at_s` from the start of the first run, and the job's median isolated time."""

    run: str
    cell: str
    job: str
    tone: int
    at_s: float
    isolated_s: float


@dataclass(frozen=True, kw_only=True, eq=False)
class StudyPageData:
    """All data of the page that is computed from runs; `tones` maps names of jobs to colour numbers."""

    cell_jobs: tuple[CellJob, ...]
    slowest_host_shares: tuple[SlowestHostShare, ...]
    timeline_points: tuple[TimelinePoint, ...]
    tones: Mapping[str, int]

    @property
    def with_impact(self) -> tuple[CellJob, ...]:
        """Jobs with a ratio, in the order of the study file."""
        return tuple(entry for entry in self.cell_jobs if entry.job.impact.ratio is not None)

    @property
    def slowed(self) -> tuple[CellJob, ...]:
        """Jobs whose whole interval lies above 1, the largest ratio first."""
        significant = [entry for entry in self.with_impact if (entry.job.impact.low or 0.0) > 1]
        return tuple(sorted(significant, key=lambda entry: -(entry.job.impact.ratio or 0.0)))


def factor_text_of(cell: CellResult, factors: Sequence[str]) -> str:
    """`placement = interleaved, set.size = 4KiB`: the values that distinguish this cell from the others."""
    return ", ".join(f"{name} = {printable(cell.values.get(name, MISSING))}" for name in factors)


def row_head(cell: CellResult, report: StudyReport) -> tuple[str, ...]:
    """The values that distinguish this cell from the others, or its id if no factor varies."""
    return tuple(printable(cell.values.get(name, MISSING)) for name in report.factors) or (cell.id,)


def page_data_of(report: StudyReport, data: StudyData) -> StudyPageData:
    """Compute the data of the page; the samples of each run are selected only once."""
    tones = {name: n for n, name in enumerate(dict.fromkeys(job.name for cell in report.cells for job in cell.jobs))}
    first_start = min((run.header.started_at for run in data.runs.values()), default=None)
    selections = selections_of(data.runs) if data.selections is None else data.selections
    slowest_host_shares = [
        share
        for name, run in data.runs.items()
        for job in run.jobs
        for share in _slowest_host_shares(name, run, job, selections[name, job.name])
    ]
    timeline_points = [
        TimelinePoint(
            run=name, cell=cell_of(name), job=job, tone=tones.get(job, 0),
            at_s=(data.runs[name].header.started_at - first_start).total_seconds(),
            isolated_s=float(np.median(selection.isolated_s)),
        )
        for (name, job), selection in selections.items()
        if first_start is not None and len(selection.isolated_s)
    ]  # fmt: skip
    cells = data.by_cell
    cell_jobs = [
        _cell_job(report, cell, job, tone=tones[job.name], runs=cells.get(cell.id, {}), selections=selections)
        for cell in report.cells
        for job in cell.jobs
    ]
    return StudyPageData(
        cell_jobs=tuple(cell_jobs), slowest_host_shares=tuple(slowest_host_shares), tones=tones,
        timeline_points=tuple(sorted(timeline_points, key=lambda one: (one.at_s, one.run))),
    )  # fmt: skip


def _cell_job(
    report: StudyReport, cell: CellResult, job: JobResult, *, tone: int, runs: Mapping[str, Run],
    selections: Selections,
) -> CellJob:  # fmt: skip
    job_selections = [selections[name, job.name] for name in runs if (name, job.name) in selections]
    roles = {other.role for run in runs.values() for other in run.jobs if other.name == job.name}
    return CellJob(
        cell=cell, job=job, tone=tone, factor_text=factor_text_of(cell, report.factors),
        values=tuple(printable(cell.values.get(name, MISSING)) for name in report.factors),
        other_jobs=tuple(printable(other.name) for other in cell.jobs if other is not job),
        measured=Role.measured in roles or not roles,
        blocks=sum(congestion_impact(selection.rounds).paired_blocks for selection in job_selections),
        isolated_s=_concatenate([selection.isolated_s for selection in job_selections]),
        contended_s=_concatenate([selection.contended_s for selection in job_selections]),
    )  # fmt: skip


def _concatenate(parts: Sequence[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)


def _slowest_host_shares(name: str, run: Run, job: Job, selection: Selection) -> Iterator[SlowestHostShare]:
    """One `SlowestHostShare` per host of the job."""
    hosts = run.header.nodes.hosts
    nodes_by_host = Counter(hosts[node] for node in sorted(parse_ranges(job.nodes)) if node in hosts)
    slowest_counts = Counter(selection.hosts[host] for host in selection.slowest_host.tolist() if host >= 0)
    samples = slowest_counts.total()
    for host, nodes in nodes_by_host.items():
        yield SlowestHostShare(
            host=host, run=name, times_slowest=slowest_counts[host], samples=samples,
            expected=samples * nodes / nodes_by_host.total(),
        )  # fmt: skip
