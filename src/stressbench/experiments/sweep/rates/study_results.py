"""Degradation factors of each job by rate and ranks, and the smallest rate that suffices."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stressbench.experiments.study.run_states import RunState, State
from stressbench.experiments.sweep.job_rounds import round_medians, sized_steps
from stressbench.experiments.sweep.rates.competing_traffic import FACTORS, JOB
from stressbench.experiments.sweep.rates.taken_bandwidth import COMPETING_NOTE, competition_of, remaining_share
from stressbench.formats.run import Job, Kind, Role, Run
from stressbench.formats.study.cells import Cell, varying_factors
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study
from stressbench.results.rates import (
    FULL,
    Competition,
    Curve,
    Degradation,
    Node,
    RateBandwidth,
    balances_of,
    factor_of,
    point_of,
    sufficient_rate,
)
from stressbench.stats.unpaired import RatioSource

_ROUNDS_NOTE = (
    "intervals made from rounds cover the variation between the rounds of a run, not between launches; with 4 or more "
    "runs of each cell they are made from runs"
)


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions:
    """What to report: the kind of rounds, whether per motif, too, and the slowdown to tolerate (0.05: 5 %).

    Launches of a program have no rounds and motifs. `node`: the node's peak and bandwidth, for the balance.
    """

    kind: Kind = Kind.isolated
    motifs: bool = False
    at_most: float = 0.05
    node: Node = field(default_factory=Node)


def is_competing(study: Study) -> bool:
    """Whether the rates of the study are shares left by competing traffic, rather than rates of links."""
    return any(remaining_share(cell) is not None for cell in study.cells)


def degradation_of(
    study: Study,
    states: Sequence[RunState],
    runs: Mapping[str, Run],
    *,
    options: AnalysisOptions,
    notes: Sequence[str] = (),
) -> Degradation:
    """The degradation of each job, from the `states` of all runs and the completed `runs` by run id.

    Raises StudyMistake where the study has no rates to compare.
    """
    rates = _rates(study)
    groups = tuple(_groups(study, states, runs))
    curves = tuple(curve for group in groups for curve in _curves(group, rates, options))
    bandwidths = tuple(one for group in groups for one in _bandwidths(group, rates, options.kind))
    return Degradation(
        about=study.about,
        time=options.kind,
        at_most=options.at_most,
        rates=tuple(map(str, rates)),
        planned=len(states),
        done=sum(one.state is State.done for one in states),
        curves=tuple(
            sorted(curves, key=lambda one: (tuple(one.where.values()), one.job, -1 if one.step is None else one.step))
        ),
        balance=balances_of(rates, options.node, bandwidths=bandwidths),
        notes=(*notes, *_caveats(states, runs, curves), *((COMPETING_NOTE,) if is_competing(study) else ())),
        competition=tuple(_competition(groups)) if is_competing(study) else (),
        bandwidths=bandwidths,
    )


@dataclass(frozen=True, kw_only=True)
class _Group:
    """Runs that differ only in their rate."""

    where: Mapping[str, str]
    ranks: int | None
    by_rate: Mapping[Fraction, tuple[Run, ...]]


def _rates(study: Study) -> tuple[Fraction, ...]:
    """The rates of the study up to the full rate, in descending order. Raises StudyMistake."""
    known = {_rate_of(cell) for cell in study.cells}
    if None in known or len(known) < 2:
        raise StudyMistake(
            'the study compares no rates; expected factors.rate with several, such as ["full", "1/2", "1/4"]'
        )
    rates = sorted((rate for rate in known if rate is not None), reverse=True)
    if FULL not in rates:
        shown = ", ".join(map(str, rates))
        raise StudyMistake(
            f"the study has the rates {shown}; expected the full rate as well: all factors are relative to it"
        )
    return tuple(rate for rate in rates if rate <= FULL)


def _rate_of(cell: Cell) -> Fraction | None:
    if (left := remaining_share(cell)) is not None:
        return left
    return None if cell.rate is None else cell.rate.value


def _groups(study: Study, states: Sequence[RunState], runs: Mapping[str, Run]) -> Iterator[_Group]:
    names = _conditions(study.cells)
    groups: dict[tuple[tuple[str, ...], int], dict[Fraction, list[Run]]] = {}
    for one in states:
        cell, rate = one.run.cell, _rate_of(one.run.cell)
        if rate is None or (run := runs.get(one.run.id)) is None:
            continue
        key = (tuple(cell.values.get(name, "") for name in names), cell.ranks or run.header.ranks)
        groups.setdefault(key, {}).setdefault(rate, []).append(run)
    for (values, ranks), by_rate in sorted(groups.items(), key=lambda item: item[0]):
        where = dict(zip(names, values, strict=True))
        yield _Group(where=where, ranks=ranks, by_rate={rate: tuple(those) for rate, those in by_rate.items()})


def _conditions(cells: Sequence[Cell]) -> tuple[str, ...]:
    """Factors other than rate and ranks that vary, except those determined by the number of ranks."""
    several = len({cell.ranks for cell in cells}) > 1

    def follows(name: str) -> bool:
        pairs = {(cell.ranks, cell.values.get(name)) for cell in cells}
        return several and len(pairs) == len({ranks for ranks, _ in pairs})

    return tuple(
        name for name in varying_factors(cells) if name not in ("rate", "ranks", *FACTORS) and not follows(name)
    )


def _curves(group: _Group, rates: Sequence[Fraction], options: AnalysisOptions) -> Iterator[Curve]:
    for job in _jobs(group, options.kind):
        yield _curve(group, rates, options, job=job, step=None)
        for step in range(len(job.steps)) if options.motifs else ():
            yield _curve(group, rates, options, job=job, step=step)


def _jobs(group: _Group, kind: Kind) -> tuple[Job, ...]:
    """The jobs to report, each as in its first run: for isolated rounds the measured jobs, else all but the traffic."""
    jobs: dict[str, Job] = {}
    for runs in group.by_rate.values():
        for job in (job for run in runs for job in run.jobs):
            if job.role is Role.measured or (kind is Kind.contended and job.name != JOB):
                jobs.setdefault(job.name, job)
    return tuple(jobs.values())


def _curve(group: _Group, rates: Sequence[Fraction], options: AnalysisOptions, *, job: Job, step: int | None) -> Curve:
    times = _times(group, rates, job=job, step=step, kind=options.kind)
    points = tuple(
        point_of(rate, full=times[FULL], reduced=times[rate], at_most=options.at_most) for rate in rates
    )  # fmt: skip
    needs, undecided = sufficient_rate(points)
    return Curve(
        where=group.where, job=job.name, step=step, motif=None if step is None else job.steps[step].motif,
        ranks=group.ranks, points=points, needs=needs, undecided=undecided,
    )  # fmt: skip


def _bandwidths(group: _Group, rates: Sequence[Fraction], kind: Kind) -> Iterator[RateBandwidth]:
    for job in _jobs(group, kind):
        for sized in sized_steps(job):
            times = _times(group, rates, job=job, step=sized.step, kind=kind)
            for rate, runs in times.items():
                measured = sized.bandwidth(runs)
                yield RateBandwidth(
                    where=group.where, job=job.name, step=sized.step, motif=sized.motif, ranks=group.ranks,
                    size_bytes=sized.size_bytes, rate=str(rate), bytes_per_s=measured.bytes_per_s, low=measured.low,
                    high=measured.high, factor=factor_of(rate, full=times[FULL], reduced=runs),
                )  # fmt: skip


def _competition(groups: Sequence[_Group]) -> Iterator[Competition]:
    for group in groups:
        yield from competition_of(group.by_rate, where=group.where, ranks=group.ranks)


def _times(
    group: _Group, rates: Sequence[Fraction], *, job: Job, step: int | None, kind: Kind
) -> dict[Fraction, list[NDArray[np.float64]]]:
    """Median times of the rounds of each run at each rate, s, each of shape (rounds,)."""
    return {rate: [round_medians(run, job.name, step, kind) for run in group.by_rate.get(rate, ())] for rate in rates}


def _caveats(states: Sequence[RunState], runs: Mapping[str, Run], curves: Sequence[Curve]) -> Iterator[str]:
    if any(point.factor.source is RatioSource.rounds for curve in curves for point in curve.points):
        yield _ROUNDS_NOTE
    if failed := sum(one.state is State.failed for one in states):
        yield f"{failed} runs failed; `stressbench study status` names them"
    if any(not run.complete for run in runs.values()):
        yield "some runs ended at their time limit; their completed rounds count"
    if any(run.header.simulation is not None for run in runs.values()):
        yield "times of simulated runs are the simulation's own"
