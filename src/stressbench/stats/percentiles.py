"""Percentiles with intervals that assume no distribution, and the tail impact: contended over isolated percentile."""

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
"""What `show` tells, as shares of the values that lie below."""
_ROUNDS_APART = 1_000_000_000
_TAIL = (1 - CONFIDENCE) / 2

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]


class Source(StrEnum):
    """Where percentiles come from."""

    samples = "samples"
    executions = "executions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Percentile:
    """The time (s) below which `share` of `count` values lie, with its 95 % interval; `reason` says why there is none.

    `independent` is how many independent values are worth as much: values of one round resemble each other.
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
    """Contended over isolated percentile with its 95 % interval; `reason` says in words why a number is None."""

    share: float
    source: Source
    isolated: Percentile | None
    contended: Percentile | None
    ratio: float | None
    low: float | None
    high: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouped:
    """Values (s) in ascending order, how often each occurred, and in which round: shape (values,) each."""

    values_s: Floats
    counts: Integers
    round: Integers


def of_samples(values_s: Floats, rounds: Integers) -> Grouped:
    """Samples as they come, shape (samples,) each."""
    order = np.argsort(values_s, kind="stable")
    return Grouped(values_s=values_s[order], counts=np.ones(len(order), dtype=np.int64), round=rounds[order])


def of_histograms(histograms: Sequence[Histogram]) -> Grouped | None:
    """Executions by their buckets' middles, within the extremes of all; None when there are none."""
    merged = merge(histograms)
    if merged is None:
        return None
    filled = [found for found in histograms if found.count]
    middles = np.concatenate([(found.lower_s + found.upper_s) / 2 for found in filled])
    counts = np.concatenate([found.counts for found in filled]).astype(np.int64)
    rounds = np.concatenate([np.full(len(found.counts), found.round) for found in filled])
    order = np.argsort(middles, kind="stable")
    middles = np.clip(middles, merged.min_s, merged.max_s)
    return Grouped(values_s=middles[order], counts=counts[order], round=rounds[order])


def percentile_of(grouped: Grouped, share: float) -> Percentile | None:
    """Samples interpolate linearly, as in Distribution; executions are told to a bucket's middle. None without values.

    Its interval lies between two order statistics, the binomial distribution says which (David and Nagaraja, Order
    Statistics, 7.1). Rounds differ, so the values count as fewer independent ones: as many as would make the share
    below the percentile vary as it does from round to round (Woodruff 1952, for samples drawn in clusters).
    """
    if len(grouped.values_s) == 0:
        return None
    reached = np.cumsum(grouped.counts)
    count = int(reached[-1])
    single = count == len(grouped.values_s)
    value = float(np.quantile(grouped.values_s, share)) if single else _at(grouped, reached, share)
    independent = _independent(grouped, value, share)
    low_share, high_share = _order_shares(max(1, int(independent)), share)
    low = None if low_share is None else _at(grouped, reached, low_share)
    high = None if high_share is None else _at(grouped, reached, high_share)
    return Percentile(
        share=share, value_s=value, low_s=low, high_s=high, count=count, independent=independent,
        reason=_too_few(share, count, independent) if low is None or high is None else None,
    )  # fmt: skip


def tail_impact(isolated: Grouped | None, contended: Grouped | None, share: float, *, source: Source) -> TailImpact:
    """Both percentiles and their ratio; its interval combines theirs on a log scale (MOVER: Zou and Donner 2008)."""
    alone, beside = (None if one is None else percentile_of(one, share) for one in (isolated, contended))
    ratio = low = high = None
    if alone is None or beside is None:
        reason: str | None = f"no {'isolated' if alone is None else 'contended'} {source}"
    elif min(alone.value_s, alone.low_s or alone.value_s, beside.value_s) <= 0:
        reason = "a time of 0 s, below what the clock resolves"
    else:
        ratio, reason = beside.value_s / alone.value_s, alone.reason or beside.reason
        if reason is None:
            low, high = _combined(alone, beside)
    return TailImpact(
        share=share, source=source, isolated=alone, contended=beside, ratio=ratio, low=low, high=high, reason=reason
    )


def tails_of(isolated: Grouped | None, contended: Grouped | None, *, source: Source) -> tuple[TailImpact, ...]:
    """The median and the percentiles 95, 99 and 99.9."""
    return tuple(tail_impact(isolated, contended, share, source=source) for share in SHARES)


def sample_tails(selections: Sequence[Selection]) -> tuple[TailImpact, ...]:
    """Of the samples of one job or step in one run, or in several together, whose rounds differ."""
    return tails_of(
        _together([(one.isolated_s, one.isolated_round) for one in selections]),
        _together([(one.contended_s, one.contended_round) for one in selections]),
        source=Source.samples,
    )


def _together(runs: Sequence[tuple[Floats, Integers]]) -> Grouped:
    values = [values for values, _ in runs]
    rounds = [rounds + run * _ROUNDS_APART for run, (_, rounds) in enumerate(runs)]
    return of_samples(
        np.concatenate(values) if values else np.empty(0), np.concatenate(rounds) if rounds else np.empty(0, np.int64)
    )


def _combined(alone: Percentile, beside: Percentile) -> tuple[float | None, float | None]:
    bounds = (alone.low_s, alone.high_s, beside.low_s, beside.high_s)
    if any(bound is None or bound <= 0 for bound in bounds):
        return None, None
    first_low, first_high, second_low, second_high = (log(bound) for bound in bounds if bound is not None)
    first, second = log(alone.value_s), log(beside.value_s)
    down = sqrt((second - second_low) ** 2 + (first_high - first) ** 2)
    up = sqrt((second_high - second) ** 2 + (first - first_low) ** 2)
    return exp(second - first - down), exp(second - first + up)


def _at(grouped: Grouped, reached: Integers, share: float) -> float:
    place = int(np.searchsorted(reached, share * reached[-1] * (1 - 1e-12)))
    return float(grouped.values_s[min(place, len(grouped.values_s) - 1)])


def _independent(grouped: Grouped, value: float, share: float) -> float:
    """Of independent values, at most all; all when there is one round only, which shows no difference."""
    _, which = np.unique(grouped.round, return_inverse=True)
    totals = np.bincount(which, weights=grouped.counts)
    count = float(totals.sum())
    rounds = len(totals)
    if rounds < 2:
        return count
    below = np.bincount(which, weights=grouped.counts * (grouped.values_s <= value), minlength=rounds)
    actual = below.sum() / count
    spread = float(np.sum((below - actual * totals) ** 2)) / count**2 * rounds / (rounds - 1)
    return count if spread <= 0 else min(count, share * (1 - share) / spread)


def _order_shares(count: int, share: float) -> tuple[float | None, float | None]:
    """Of `count` values, the positions as shares that bound the percentile; None beyond the smallest or largest."""
    from scipy import special  # a third of a second, which only those who ask for it shall wait

    middle, reach = count * share, 6 * sqrt(count * share * (1 - share)) + 10
    steps = np.arange(max(0, int(middle - reach)), min(count, int(middle + reach)) + 1)
    below = special.bdtr(steps, count, share)
    low = int(steps[np.searchsorted(below, _TAIL)])
    high = int(steps[min(int(np.searchsorted(below, 1 - _TAIL)), len(steps) - 1)]) + 1
    return (low / count if low >= 1 else None), (high / count if high <= count else None)


def _too_few(share: float, count: int, independent: float) -> str:
    """Why there is no interval: even the largest value may lie below the percentile."""
    farther = max(share, 1 - share)
    needed = int(np.ceil(log(_TAIL) / log(farther)))
    worth = "" if independent > 0.99 * count else f", worth {independent:.3g} independent ones,"
    return f"{count} values{worth} are too few for the {share:.4g} quantile: at least {needed} independent ones"
