"""Percentiles with distribution-free intervals, and the tail impact: contended divided by isolated percentile."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp, log, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run import Histogram
from stressbench.stats.histograms import merge
from stressbench.stats.intervals import CONFIDENCE
from stressbench.stats.selection import Selection

SHARES = (0.5, 0.95, 0.99, 0.999)
"""Percentiles that `stressbench show` reports, as shares of the values that lie below."""
_RUN_OFFSET = 1_000_000_000
_TAIL = (1 - CONFIDENCE) / 2
_MOST_FOR_BINOMIAL = 10**9
"""The binomial distribution of SciPy takes counts of 32 bits; with more values it is a normal distribution."""

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


class Source(StrEnum):
    """Values that a percentile is computed from: samples of the run file, or single executions from histograms."""

    samples = "samples"
    executions = "executions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentile:
    """The time `value_s` (s) below which `share` of `count` values lie, with its 95 % interval.

    `independent` is the effective sample size, which is smaller than `count` if values of one round are correlated.
    `reason` explains why there is no interval.
    """

    share: float
    value_s: float
    low_s: float | None
    high_s: float | None
    count: int
    independent: float
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TailImpact:
    """Ratio of contended to isolated percentile with its 95 % interval; `reason` explains why a value is None."""

    share: float
    source: Source
    isolated: Percentile | None
    contended: Percentile | None
    ratio: float | None
    low: float | None
    high: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupedValues:
    """Values (s) in ascending order, the number of occurrences and the round of each; all of shape (values,)."""

    values_s: Floats
    counts: Integers
    round: Integers


def grouped_samples(values_s: Floats, rounds: Integers) -> GroupedValues:
    """Samples (s) and the rounds that they belong to, both of shape (samples,), sorted by value."""
    order = np.argsort(values_s, kind="stable")
    return GroupedValues(values_s=values_s[order], counts=np.ones(len(order), dtype=np.int64), round=rounds[order])


def grouped_executions(histograms: Sequence[Histogram]) -> GroupedValues | None:
    """Executions at the midpoints of their buckets, clipped to the recorded extremes; None if there are none."""
    merged = merge(histograms)
    if merged is None:
        return None
    not_empty = [histogram for histogram in histograms if histogram.count]
    middles = np.concatenate([(histogram.lower_s + histogram.upper_s) / 2 for histogram in not_empty])
    counts = np.concatenate([histogram.counts for histogram in not_empty]).astype(np.int64)
    rounds = np.concatenate([np.full(len(histogram.counts), histogram.round) for histogram in not_empty])
    order = np.argsort(middles, kind="stable")
    middles = np.clip(middles, merged.min_s, merged.max_s)
    return GroupedValues(values_s=middles[order], counts=counts[order], round=rounds[order])


def percentile_of(grouped: GroupedValues, share: float) -> Percentile | None:
    """The percentile at `share` (0 to 1) with its 95 % interval; None without values.

    Samples are interpolated linearly, as in Distribution; executions give the midpoint of a bucket. The interval is
    bounded by two order statistics chosen by the binomial distribution (David and Nagaraja, Order Statistics, 7.1) for
    the effective sample size. That is the size at which independent values would show the observed variation between
    rounds of the share below the percentile (Woodruff 1952, cluster sampling).
    """
    if len(grouped.values_s) == 0:
        return None
    cumulative = np.cumsum(grouped.counts)
    count = int(cumulative[-1])
    are_samples = count == len(grouped.values_s)
    value = float(np.quantile(grouped.values_s, share)) if are_samples else _value_at(grouped, cumulative, share)
    independent = _effective_count(grouped, value, share)
    low_share, high_share = _order_shares(max(1, int(independent)), share)
    low = None if low_share is None else _value_at(grouped, cumulative, low_share)
    high = None if high_share is None else _value_at(grouped, cumulative, high_share)
    return Percentile(
        share=share, value_s=value, low_s=low, high_s=high, count=count, independent=independent,
        reason=_too_few_values(share, count, independent) if low is None or high is None else None,
    )  # fmt: skip


def tail_impact(
    isolated: GroupedValues | None, contended: GroupedValues | None, share: float, *, source: Source
) -> TailImpact:
    """Both percentiles at `share` and their ratio with its 95 % interval.

    The interval combines those of both percentiles on a log scale (MOVER: Zou and Donner 2008).
    """
    first, second = (None if one is None else percentile_of(one, share) for one in (isolated, contended))
    ratio = low = high = None
    if first is None or second is None:
        reason: str | None = f"no {'isolated' if first is None else 'contended'} {source}"
    elif min(first.value_s, first.low_s or first.value_s, second.value_s) <= 0:
        reason = "a time of 0 s, below what the clock resolves"
    else:
        ratio, reason = second.value_s / first.value_s, first.reason or second.reason
        if reason is None:
            low, high = _ratio_interval(first, second)
    return TailImpact(
        share=share, source=source, isolated=first, contended=second, ratio=ratio, low=low, high=high, reason=reason
    )


def tail_impacts(
    isolated: GroupedValues | None, contended: GroupedValues | None, *, source: Source
) -> tuple[TailImpact, ...]:
    """Tail impacts at the median and the percentiles 95, 99 and 99.9."""
    return tuple(tail_impact(isolated, contended, share, source=source) for share in SHARES)


def sample_tail_impacts(selections: Sequence[Selection]) -> tuple[TailImpact, ...]:
    """Tail impacts of the samples of one job or step, pooled over runs; rounds of different runs stay separate."""
    return tail_impacts(
        _grouped_runs([(one.isolated_s, one.isolated_round) for one in selections]),
        _grouped_runs([(one.contended_s, one.contended_round) for one in selections]),
        source=Source.samples,
    )


def _grouped_runs(runs: Sequence[tuple[Floats, Integers]]) -> GroupedValues:
    values = [values for values, _ in runs]
    rounds = [rounds + run * _RUN_OFFSET for run, (_, rounds) in enumerate(runs)]
    return grouped_samples(
        np.concatenate(values) if values else np.empty(0), np.concatenate(rounds) if rounds else np.empty(0, np.int64)
    )


def _ratio_interval(isolated: Percentile, contended: Percentile) -> tuple[float | None, float | None]:
    bounds = (isolated.low_s, isolated.high_s, contended.low_s, contended.high_s)
    if any(bound is None or bound <= 0 for bound in bounds):
        return None, None
    first_low, first_high, second_low, second_high = (log(bound) for bound in bounds if bound is not None)
    first, second = log(isolated.value_s), log(contended.value_s)
    lower_distance = sqrt((second - second_low) ** 2 + (first_high - first) ** 2)
    upper_distance = sqrt((second_high - second) ** 2 + (first - first_low) ** 2)
    return exp(second - first - lower_distance), exp(second - first + upper_distance)


def _value_at(grouped: GroupedValues, cumulative: Integers, share: float) -> float:
    index = int(np.searchsorted(cumulative, share * cumulative[-1] * (1 - 1e-12)))
    return float(grouped.values_s[min(index, len(grouped.values_s) - 1)])


def _effective_count(grouped: GroupedValues, value: float, share: float) -> float:
    """Effective sample size, at most the number of values; equal to it for a single round (no variation to observe)."""
    _, round_index = np.unique(grouped.round, return_inverse=True)
    totals = np.bincount(round_index, weights=grouped.counts)
    count = float(totals.sum())
    rounds = len(totals)
    if rounds < 2:
        return count
    below = np.bincount(round_index, weights=grouped.counts * (grouped.values_s <= value), minlength=rounds)
    actual = below.sum() / count
    spread = float(np.sum((below - actual * totals) ** 2)) / count**2 * rounds / (rounds - 1)
    return count if spread <= 0 else min(count, share * (1 - share) / spread)


def _order_shares(count: int, share: float) -> tuple[float | None, float | None]:
    """Ranks, divided by `count`, of the order statistics that bound the percentile; None beyond the extreme values."""
    from scipy import special  # importing it takes a third of a second

    if count > _MOST_FOR_BINOMIAL:
        distance = float(special.ndtri(1 - _TAIL)) * sqrt(share * (1 - share) / count)
        return share - distance, share + distance
    middle, reach = count * share, 6 * sqrt(count * share * (1 - share)) + 10
    steps = range(max(0, int(middle - reach)), min(count, int(middle + reach)) + 1)

    def below(step: int) -> float:
        return float(special.bdtr(step, count, share))

    low = steps[bisect_left(steps, _TAIL, key=below)]
    high = steps[min(bisect_left(steps, 1 - _TAIL, key=below), len(steps) - 1)] + 1
    return (low / count if low >= 1 else None), (high / count if high <= count else None)


def _too_few_values(share: float, count: int, independent: float) -> str:
    """Reason for a missing interval: too few values to bound the percentile."""
    extreme_share = max(share, 1 - share)
    needed = int(np.ceil(log(_TAIL) / log(extreme_share)))
    effective_note = "" if independent > 0.99 * count else f", worth {independent:.3g} independent ones,"
    return (
        f"{count} values{effective_note} are too few for the {share:.4g} quantile: at least {needed} independent ones"
    )
