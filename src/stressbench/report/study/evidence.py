"""Data of a study's figures and tables, computed from its runs: one `Line` per cell and job over all runs. Pure."""

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
class Line:
    """One job of a cell. `tone` numbers jobs over the whole study; times are measured repetitions of all runs."""

    cell: CellResult
    job: JobResult
    tone: int
    where: str
    values: tuple[str, ...]
    others: tuple[str, ...]
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
class Share:
    """How often a host was a job's slowest in one run: `last` of `samples`; `expected`: if all hosts were alike."""

    host: str
    run: str
    last: int
    samples: int
    expected: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Moment:
    """One job of one run: the time `at_s` from the start of the first run, and the job's median isolated time."""

    run: str
    cell: str
    job: str
    tone: int
    at_s: float
    isolated_s: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """All data of the page that is computed from runs; `tones` maps names of jobs to colour numbers."""

    lines: tuple[Line, ...]
    shares: tuple[Share, ...]
    moments: tuple[Moment, ...]
    tones: Mapping[str, int]

    @property
    def known(self) -> tuple[Line, ...]:
        """Lines with a ratio, in the order of the study file."""
        return tuple(line for line in self.lines if line.job.impact.ratio is not None)

    @property
    def slowed(self) -> tuple[Line, ...]:
        """Lines whose whole interval lies above 1, the largest ratio first."""
        sure = [line for line in self.known if (line.job.impact.low or 0.0) > 1]
        return tuple(sorted(sure, key=lambda line: -(line.job.impact.ratio or 0.0)))


def place_of(cell: CellResult, factors: Sequence[str]) -> str:
    """`placement = interleaved, set.size = 4KiB`: the values that tell this cell from the others."""
    return ", ".join(f"{name} = {printable(cell.values.get(name, MISSING))}" for name in factors)


def evidence_of(report: StudyReport, data: StudyData) -> Evidence:
    """Compute the data of the page; the samples of each run are selected only once."""
    tones = {name: n for n, name in enumerate(dict.fromkeys(job.name for cell in report.cells for job in cell.jobs))}
    begin = min((run.header.started_at for run in data.runs.values()), default=None)
    chosen = selections_of(data.runs) if data.selections is None else data.selections
    shares = [
        share
        for name, run in data.runs.items()
        for job in run.jobs
        for share in _shares(name, run, job, chosen[name, job.name])
    ]
    moments = [
        Moment(
            run=name, cell=cell_of(name), job=job, tone=tones.get(job, 0),
            at_s=(data.runs[name].header.started_at - begin).total_seconds(),
            isolated_s=float(np.median(picked.isolated_s)),
        )
        for (name, job), picked in chosen.items()
        if begin is not None and len(picked.isolated_s)
    ]  # fmt: skip
    cells = data.by_cell
    lines = [
        _line(report, cell, job, tone=tones[job.name], runs=cells.get(cell.id, {}), chosen=chosen)
        for cell in report.cells
        for job in cell.jobs
    ]
    return Evidence(
        lines=tuple(lines), shares=tuple(shares), tones=tones,
        moments=tuple(sorted(moments, key=lambda one: (one.at_s, one.run))),
    )  # fmt: skip


def _line(
    report: StudyReport, cell: CellResult, job: JobResult, *, tone: int, runs: Mapping[str, Run],
    chosen: Selections,
) -> Line:  # fmt: skip
    mine = [chosen[name, job.name] for name in runs if (name, job.name) in chosen]
    roles = {one.role for run in runs.values() for one in run.jobs if one.name == job.name}
    return Line(
        cell=cell, job=job, tone=tone, where=place_of(cell, report.factors),
        values=tuple(printable(cell.values.get(name, MISSING)) for name in report.factors),
        others=tuple(printable(one.name) for one in cell.jobs if one is not job),
        measured=Role.measured in roles or not roles,
        blocks=sum(congestion_impact(picked.rounds).paired_blocks for picked in mine),
        isolated_s=_joined([picked.isolated_s for picked in mine]),
        contended_s=_joined([picked.contended_s for picked in mine]),
    )  # fmt: skip


def _joined(parts: Sequence[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)


def _shares(name: str, run: Run, job: Job, picked: Selection) -> Iterator[Share]:
    """One `Share` per host of the job."""
    wanted = set(parse_ranges(job.nodes))
    on = Counter(node.host for node in run.header.nodes if node.node in wanted)
    last = Counter(picked.hosts[host] for host in picked.slowest_host.tolist() if host >= 0)
    samples = last.total()
    for host, nodes in on.items():
        yield Share(
            host=host, run=name, last=last[host], samples=samples, expected=samples * nodes / on.total()
        )  # fmt: skip
