"""Degradation under reduced injection bandwidth: factors, bandwidth-bound shares, and the smallest sufficient rate."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run import Kind
from stressbench.stats.unpaired import PooledRatio, concatenate_rounds, pooled_ratio

FULL = Fraction(1)
_FULL_RATE_RATIO = PooledRatio(
    ratio=1.0, low=None, high=None, source=None, reason="the full rate: others are compared with it"
)


class Answer(StrEnum):
    """Whether the slowdown of a job at a rate is within the tolerated limit."""

    yes = "yes"
    no = "no"
    inconclusive = "cannot tell"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """Share of the time at the full rate that grows as bandwidth shrinks. 0: latency-bound, 1: bandwidth-bound.

    Noise may cause values outside of 0 to 1.
    """

    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Results at one rate, such as `1/4`, with `share` its numerical value. `time_s`: the median over all rounds.

    `factor`: the time at this rate over that at the full rate. `ratio_of_medians`: the plain quotient of `time_s`.
    `suffices`: whether the slowdown is within `--at-most`.

    For a program's figure of merit, `time_s` is None, and `value` is the median over launches, each of which counts as
    a run of one round. Quotients are then of figures, inverted where more is better.
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


def point_of(rate: Fraction, *, full: Rounds, reduced: Rounds, at_most: float, what: str = "rounds") -> Point:
    """The point at `rate`, from times of the rounds of each run at the full rate and at this one.

    `what`: what the times are of, in the plural, for messages.
    """
    factor = factor_of(rate, full=full, reduced=reduced, what=what)
    time_s, full_s = _median(reduced), _median(full)
    return Point(
        rate=str(rate),
        share=float(rate),
        runs=sum(len(rounds) > 0 for rounds in reduced),
        rounds=sum(map(len, reduced)),
        time_s=time_s,
        factor=factor,
        ratio_of_medians=time_s / full_s if time_s is not None and full_s else None,
        bandwidth_bound=_bound(factor, rate),
        suffices=Answer.yes if rate == FULL else answer_of(factor, at_most=at_most),
    )


def factor_of(rate: Fraction, *, full: Rounds, reduced: Rounds, what: str = "rounds") -> PooledRatio:
    """Time at `rate` over time at the full rate, with its 95 % interval; parameters as of `point_of`."""
    return _FULL_RATE_RATIO if rate == FULL else pooled_ratio(full, reduced, what=what)


def answer_of(factor: PooledRatio, *, at_most: float) -> Answer:
    """Whether the whole interval of the factor lies within a slowdown of `at_most`, or above it."""
    if factor.low is None or factor.high is None:
        return Answer.inconclusive
    if factor.high <= 1 + at_most:
        return Answer.yes
    return Answer.no if factor.low > 1 + at_most else Answer.inconclusive


def _bound(factor: PooledRatio, rate: Fraction) -> Bound:
    """The bandwidth-bound share b, from T(rate) = T(1) (1 - b + b / rate)."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Peak performance of a node, and its injection bandwidth at the full rate. None: unknown."""

    gflops: float | None = None
    injection_gb_per_s: float | None = None


class BalanceSource(StrEnum):
    """What the factor of a balance is: the quotient of the rates, or that of two measured bandwidths."""

    nominal = "nominal"
    measured = "measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """Machine balance at one rate: bytes that a node can send per operation, and by what factor rate 1 is better.

    `low` and `high`: 95 % interval of the factor where it is that of a measured bandwidth, as `source` states.
    """

    rate: str
    injection_gb_per_s: float | None
    bytes_per_flop: float | None
    factor_worse: float
    low: float | None = None
    high: float | None = None
    source: BalanceSource = BalanceSource.nominal


@dataclass(frozen=True, slots=True, kw_only=True)
class RateBandwidth:
    """Bandwidth of a motif's messages of one size at one rate: of all its pairs, from the median time over rounds.

    `low` and `high`: its 95 % interval. `factor`: time at the rate over time at the full rate.
    """

    where: Mapping[str, str]
    job: str
    step: int
    motif: str
    ranks: int | None
    size_bytes: int
    rate: str
    bytes_per_s: float | None
    low: float | None
    high: float | None
    factor: PooledRatio


def balances_of(
    rates: Iterable[Fraction], node: Node, *, bandwidths: Sequence[RateBandwidth] = ()
) -> tuple[Balance, ...]:
    """The machine balance at each rate, from the `bandwidths` of the longest messages, else from the rates alone."""
    measured = _of_longest(bandwidths)
    return tuple(_balance(rate, node, measured.get(str(rate))) for rate in rates)


def _of_longest(bandwidths: Sequence[RateBandwidth]) -> Mapping[str, PooledRatio]:
    """The factors by rate of the longest messages, of several motifs the one with the highest full bandwidth."""
    full = [one for one in bandwidths if one.rate == str(FULL) and one.bytes_per_s is not None]
    best = max(full, key=lambda one: (one.size_bytes, one.bytes_per_s or 0.0), default=None)
    if best is None:
        return {}
    return {one.rate: one.factor for one in bandwidths if _is_of_same_messages(one, best)}


def _is_of_same_messages(one: RateBandwidth, other: RateBandwidth) -> bool:
    return (one.where, one.job, one.step, one.ranks) == (other.where, other.job, other.step, other.ranks)


def _balance(rate: Fraction, node: Node, measured: PooledRatio | None) -> Balance:
    factor, low, high, source = float(1 / rate), None, None, BalanceSource.nominal
    if measured is not None and measured.ratio is not None:
        factor, low, high, source = measured.ratio, measured.low, measured.high, BalanceSource.measured
    injected = None if node.injection_gb_per_s is None else node.injection_gb_per_s / factor
    return Balance(
        rate=str(rate),
        injection_gb_per_s=injected,
        bytes_per_flop=None if injected is None or node.gflops is None else injected / node.gflops,
        factor_worse=factor, low=low, high=high, source=source,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Competition:
    """Shares of each node's link that competing traffic was to take (`asked`), and that it took (`taken`).

    `taken` is the median over runs, None: unknown.
    """

    where: Mapping[str, str]
    ranks: int | None
    rate: str
    asked: float
    taken: float | None


class Better(StrEnum):
    """Which values are better: less, as for times, or more, as for GFLOP/s."""

    less = "less"
    more = "more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A job, or a motif of it (`step` from 0), at one number of ranks. `where`: values of the other factors.

    `points` descend from the full rate. `needs`: the smallest rate that suffices with no failing rate above it, None:
    unknown. `undecided`: the rates below it at which the data are inconclusive.

    For a program, `job` is the name of a figure, or `wall time`, and the `unit` of a figure is empty, since unknown.
    """

    where: Mapping[str, str]
    job: str
    step: int | None
    motif: str | None
    ranks: int | None
    points: tuple[Point, ...]
    needs: str | None
    undecided: tuple[str, ...]
    unit: Literal["s", ""] = "s"
    better: Better = Better.less


@dataclass(frozen=True, kw_only=True)
class Degradation:
    """Results of a rate sweep. `time`: isolated or contended rounds, or launches of a program."""

    about: str
    time: Kind | Literal["launches"]
    at_most: float
    rates: tuple[str, ...]
    planned: int
    done: int
    curves: tuple[Curve, ...]
    balance: tuple[Balance, ...]
    notes: tuple[str, ...]
    competition: tuple[Competition, ...] = ()
    bandwidths: tuple[RateBandwidth, ...] = ()


def sufficient_rate(points: Sequence[Point]) -> tuple[str | None, tuple[str, ...]]:
    """The smallest rate that suffices, and the undecided rates below it. `points` descend from the full rate.

    Less bandwidth cannot help, so rates below one that fails are ignored, but those below an undecided one count.
    """
    candidates: list[Point] = []
    for point in points:
        if point.suffices is Answer.no:
            break
        candidates.append(point)
    sufficient = [number for number, point in enumerate(candidates) if point.suffices is Answer.yes]
    if not sufficient or not points[0].rounds:
        return None, ()
    last = sufficient[-1]
    return candidates[last].rate, tuple(point.rate for point in candidates[last + 1 :])
