"""Verdicts of a study: who is slowed in which cells, what that depends on, how many runs would decide. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, exp, log, log1p

from stressbench.report.run.options import VerdictLimits
from stressbench.report.verdicts import LEAST_DISTANCE, Verdict, farthest_tail, verdict_on
from stressbench.results.study import CellResult, JobResult, StudyReport
from stressbench.stats.intervals import MIN_PAIRS
from stressbench.stats.planning import additional_blocks
from stressbench.stats.pooled import IntervalLevel


@dataclass(frozen=True, kw_only=True)
class JobVerdict:
    """Whether a measured job of a cell is slowed, with the 95 % interval of its impact. None: unknown.

    `values`: those of the factors that vary. The tail is the highest percentile from 95 on with an interval, and
    `tail_grew` says whether this interval lies above the limit. `runs_needed`: runs of the cell that should decide, if
    the ratio stays; None if the verdict is known, or if no number of runs would decide.
    """

    cell: str
    values: Mapping[str, str]
    job: str
    verdict: Verdict
    impact: float | None
    low: float | None
    high: float | None
    tail_percentile: float | None
    tail_impact: float | None
    tail_low: float | None
    tail_high: float | None
    tail_grew: bool | None
    runs_needed: int | None

    @property
    def is_decided(self) -> bool:
        """Whether the job is shown to be slowed, or not to be."""
        return self.verdict in (Verdict.slowed, Verdict.not_slowed)


@dataclass(frozen=True, kw_only=True)
class LevelImpact:
    """The geometric mean of the impacts in the cells with this value of a factor."""

    value: str
    impact: float


@dataclass(frozen=True, kw_only=True)
class FactorEffect:
    """Mean impacts by value of a factor, the lowest first, over `results` results that each of the values has.

    Results of different values are compared only if they are those of the same job and agree in all other factors.
    """

    factor: str
    levels: tuple[LevelImpact, ...]
    results: int

    @property
    def spread(self) -> float:
        """The highest mean impact over the lowest."""
        return self.levels[-1].impact / self.levels[0].impact


@dataclass(frozen=True, kw_only=True)
class StudyVerdicts:
    """The verdicts under these limits; `cells` counts those with results, `decided` those with all jobs decided.

    `jobs` are in the order of the study file, `effects` by decreasing spread. `worst` is the slowed job with the
    largest impact or, if none is slowed, the job with the largest impact; None without results.
    """

    limits: VerdictLimits
    cells: int
    decided: int
    jobs: tuple[JobVerdict, ...]
    effects: tuple[FactorEffect, ...]
    worst: JobVerdict | None

    @property
    def open(self) -> tuple[JobVerdict, ...]:
        """Jobs that are neither shown to be slowed nor shown not to be."""
        return tuple(one for one in self.jobs if not one.is_decided)

    def effect_of(self, factor: str) -> FactorEffect | None:
        """The effect of this factor; None if it does not vary, or if no results can be compared."""
        return next((one for one in self.effects if one.factor == factor), None)


def verdicts_of(report: StudyReport, limits: VerdictLimits) -> StudyVerdicts:
    """The verdicts on the measured jobs of all cells with results."""
    jobs = tuple(_verdict(report, cell, job, limits) for cell in report.cells for job in cell.jobs if _is_measured(job))
    open_cells = {one.cell for one in jobs if not one.is_decided}
    cells = {one.cell for one in jobs}
    return StudyVerdicts(
        limits=limits, cells=len(cells), decided=len(cells - open_cells), jobs=jobs,
        effects=tuple(sorted(_effects(report.factors, jobs), key=lambda one: -one.spread)),
        worst=max((one for one in jobs if one.impact is not None), key=_badness, default=None),
    )  # fmt: skip


def _is_measured(job: JobResult) -> bool:
    return job.plan is not None


def _badness(one: JobVerdict) -> tuple[bool, bool, float]:
    return one.verdict is Verdict.slowed, one.low is not None, one.impact or 0.0


def _verdict(report: StudyReport, cell: CellResult, job: JobResult, limits: VerdictLimits) -> JobVerdict:
    impact, tail = job.impact, farthest_tail(job.tails)
    verdict = verdict_on(impact.low, impact.high, slowed_above=limits.slowed_above)
    decided = verdict in (Verdict.slowed, Verdict.not_slowed)
    return JobVerdict(
        cell=cell.id, values={name: cell.values[name] for name in report.factors if name in cell.values},
        job=job.name, verdict=verdict, impact=impact.ratio, low=impact.low, high=impact.high,
        tail_percentile=None if tail is None else round(100 * tail.share, 6),
        tail_impact=None if tail is None else tail.ratio,
        tail_low=None if tail is None else tail.low, tail_high=None if tail is None else tail.high,
        tail_grew=None if tail is None else (tail.low or 0.0) > limits.tail_above,
        runs_needed=None if decided else _runs_needed(cell, job, limits.slowed_above),
    )  # fmt: skip


def _runs_needed(cell: CellResult, job: JobResult, limit: float) -> int | None:
    """Runs of the cell after which the interval of the impact should no longer include the limit."""
    impact, plan = job.impact, job.plan
    if impact.ratio is None or plan is None:
        return None
    if impact.level is None:
        return ceil(MIN_PAIRS * cell.done / plan.blocks) if plan.blocks else None
    distance = abs(log(impact.ratio / limit))
    if distance < LEAST_DISTANCE:
        return None
    if impact.level is IntervalLevel.runs:
        assert impact.low is not None
        assert impact.high is not None
        more = additional_blocks(log(impact.high / impact.low) / 2, impact.runs, distance)
        return None if more is None else impact.runs + max(1, more)
    if not plan.half_width:
        return None
    more = additional_blocks(log1p(plan.half_width), plan.blocks, distance)
    return None if more is None else ceil((plan.blocks + max(1, more)) * cell.done / plan.blocks)


def _effects(factors: Sequence[str], jobs: Sequence[JobVerdict]) -> Iterator[FactorEffect]:
    for factor in factors:
        groups: dict[tuple[str, ...], dict[str, float]] = {}
        for one in jobs:
            if one.impact and factor in one.values:
                others = tuple(one.values.get(name, "") for name in factors if name != factor)
                groups.setdefault((one.job, *others), {})[one.values[factor]] = log(one.impact)
        values = tuple(dict.fromkeys(value for group in groups.values() for value in group))
        matched = [group for group in groups.values() if len(group) == len(values)]
        if len(values) > 1 and matched:
            means = {value: exp(sum(group[value] for group in matched) / len(matched)) for value in values}
            levels = (LevelImpact(value=value, impact=impact) for value, impact in means.items())
            yield FactorEffect(
                factor=factor, levels=tuple(sorted(levels, key=lambda one: one.impact)), results=len(matched)
            )
