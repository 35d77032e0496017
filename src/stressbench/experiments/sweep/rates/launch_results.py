"""Slowdown of a program and degradation of its figures of merit, from launches at several rates. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stressbench.experiments.sweep.rates.study_results import AnalysisOptions
from stressbench.formats.launches.rates import RateLaunch, RateLaunches
from stressbench.results.rates import FULL, Better, Curve, Degradation, Point, balances_of, point_of, sufficient_rate

WALL = "wall time"
_NOT_ABOVE_0 = "a figure is not above 0, and has no ratio"
Values = NDArray[np.float64]


def degradation_of_launches(launches: RateLaunches, *, options: AnalysisOptions) -> Degradation:
    """The degradation by rate and number of ranks, from the launches that exited with status 0."""
    plan = launches.plan
    rates = sorted(map(Fraction, plan.rates), reverse=True)
    done = [one for one in launches.done if one.status == 0]
    return Degradation(
        about=" ".join(plan.command),
        time="launches",
        at_most=options.at_most,
        rates=tuple(map(str, rates)),
        planned=plan.runs * len(rates) * len(plan.ranks),
        done=len(done),
        curves=tuple(_curves(launches, done, rates, options)),
        balance=balances_of(rates, options.node),
        notes=(*launches.complaints, *_caveats(launches, done)),
    )


def _curves(
    launches: RateLaunches, done: Sequence[RateLaunch], rates: Sequence[Fraction], options: AnalysisOptions
) -> Iterator[Curve]:
    for name in (None, *launches.plan.figures):
        better = Better.less if name is None or name in launches.plan.lower else Better.more
        for ranks in sorted(launches.plan.ranks):
            of_ranks = [one for one in done if one.ranks == ranks]
            by_rate = {rate: _values(of_ranks, rate, name) for rate in rates}
            if any(len(values) for values in by_rate.values()):
                yield _curve(by_rate, options, name=name, ranks=ranks, better=better)


def _values(launches: Sequence[RateLaunch], rate: Fraction, name: str | None) -> Values:
    """Values of the figure `name` at this rate, or wall times in s where `name` is None; shape (launches,)."""
    at_rate = [one for one in launches if one.rate == str(rate)]
    values = [one.wall_s if name is None else one.figures.get(name) for one in at_rate]
    return np.array([value for value in values if value is not None], dtype=np.float64)


def _curve(
    by_rate: Mapping[Fraction, Values], options: AnalysisOptions, *, name: str | None, ranks: int, better: Better
) -> Curve:
    points = tuple(
        _point(rate, by_rate[FULL], values, at_most=options.at_most, better=None if name is None else better)
        for rate, values in by_rate.items()
    )
    needs, undecided = sufficient_rate(points)
    return Curve(
        where={}, job=WALL if name is None else name, step=None, motif=None, ranks=ranks, points=points, needs=needs,
        undecided=undecided, unit="s" if name is None else "", better=better,
    )  # fmt: skip


def _point(rate: Fraction, full: Values, reduced: Values, *, at_most: float, better: Better | None) -> Point:
    """The degradation at `rate`. `better`: which direction is better for the figure, None for wall times.

    Figures where more is better enter as reciprocals, which are times per unit of work.
    """
    point = point_of(
        rate, full=_as_times(full, better), reduced=_as_times(reduced, better), at_most=at_most, what="launches"
    )
    if better is None:
        return point
    value, reference = _median(reduced), _median(full)
    worse, than = (reference, value) if better is Better.more else (value, reference)
    factor = point.factor
    if factor.ratio is None and (np.any(full <= 0) or np.any(reduced <= 0)):
        factor = replace(factor, reason=_NOT_ABOVE_0)
    return replace(
        point, time_s=None, value=value, factor=factor, ratio_of_medians=worse / than if worse and than else None
    )


def _as_times(values: Values, better: Better | None) -> list[Values]:
    """One array of shape (1,) per launch, reciprocals where more is better. The reciprocal of 0 is infinite."""
    with np.errstate(divide="ignore"):
        times = np.divide(1.0, values) if better is Better.more else values
    return [times[at : at + 1] for at in range(len(times))]


def _median(values: Values) -> float | None:
    return float(np.median(values)) if len(values) else None


def _caveats(launches: RateLaunches, done: Sequence[RateLaunch]) -> Iterator[str]:
    if failed := len(launches.done) - len(done):
        yield f"{failed} launches failed and do not count"
    for name in launches.plan.figures:
        if missing := sum(one.figures.get(name) is None for one in done):
            yield f"{missing} launches have no {name}"
    yield "wall times include the start and end of MPI, which may also depend on bandwidth"
