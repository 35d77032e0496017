"""One job at one rate: its degradation factor, how much of its time is bandwidth's, and whether the rate suffices."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from stressbench.stats.unpaired import PooledRatio, concatenate_rounds, pooled_ratio

FULL = Fraction(1)
_ITSELF = PooledRatio(ratio=1.0, low=None, high=None, source=None, reason="the full rate: others are compared with it")


class Answer(StrEnum):
    """To: does the job lose at most so much at this rate?"""

    yes = "yes"
    no = "no"
    cannot_tell = "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Share of the time at the full rate that grows as bandwidth shrinks: 0 latency alone, 1 bandwidth alone.

    Noise may lead outside of 0 to 1.
    """

    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """`rate` as `1/4`, and as a number; `time_s` is the median over all rounds; `suffices` answers `--at-most`.

    `factor` is the time at the rate over that at the full rate; `ratio_of_medians` the plain quotient of `time_s`.

    Of a program's figure of merit `time_s` is None and `value` the median over launches, which are runs and rounds of
    one value; the quotients are of figures then, and the other way round where more is better.
    """

    rate: str
    share: float
    runs: int
    rounds: int
    time_s: float | None
    factor: PooledRatio
    ratio_of_medians: float | None
    bandwidth_bound: Bound
    suffices: Answer
    value: float | None = None


Rounds = Sequence[NDArray[np.float64]]


def point_of(rate: Fraction, *, full: Rounds, here: Rounds, at_most: float, what: str = "rounds") -> Point:
    """From the times of each run's rounds at the full rate and at this one; `what` they are, in the plural."""
    factor = _ITSELF if rate == FULL else pooled_ratio(full, here, what=what)
    time_s, full_s = _median(here), _median(full)
    return Point(
        rate=str(rate),
        share=float(rate),
        runs=sum(len(rounds) > 0 for rounds in here),
        rounds=sum(map(len, here)),
        time_s=time_s,
        factor=factor,
        ratio_of_medians=time_s / full_s if time_s is not None and full_s else None,
        bandwidth_bound=_bound(factor, rate),
        suffices=Answer.yes if rate == FULL else answer_of(factor, at_most=at_most),
    )


def answer_of(factor: PooledRatio, *, at_most: float) -> Answer:
    """Whether the whole interval says that the job loses at most this share, or more."""
    if factor.low is None or factor.high is None:
        return Answer.cannot_tell
    if factor.high <= 1 + at_most:
        return Answer.yes
    return Answer.no if factor.low > 1 + at_most else Answer.cannot_tell


def _bound(factor: PooledRatio, rate: Fraction) -> Bound:
    """T(rate) = T(1) (1 - b + b / rate), solved for b."""
    if rate == FULL:
        return Bound(share=None, low=None, high=None)
    most = float(1 / rate) - 1
    share, low, high = (
        None if value is None else (value - 1) / most for value in (factor.ratio, factor.low, factor.high)
    )
    return Bound(share=share, low=low, high=high)


def _median(runs: Rounds) -> float | None:
    times = concatenate_rounds(runs)
    return float(np.median(times)) if len(times) else None
