"""Rank-based 95 % intervals of a ratio: exact for any noise with the same distribution on both sides, deterministic.

Coverage of rank intervals and alternatives, simulated: blocks of one isolated and one contended round; the machine
drifts between blocks (random walk, 5 % per block); noise is lognormal (5 %), Student's t(2) (3 %), or 3 % with one
round in ten taking 3 times as long. A/A comparison: share (%) of 95 % intervals that contain 1. The first two rows are
from 20,000 runs per cell (standard error 0.15 %), the others from 1000 (0.7 %).

                                    lognormal             Student t(2)          spikes                width, n = 20
    n (blocks)                      8     10    20        8     10    20        8     10    20        lognormal  t(2)
    paired ranks (chosen)           96.1  95.3  95.1      96.3  95.1  95.1      96.4  95.1  95.1      0.067      0.068
    t on log ratios                 95.0  95.0  94.9      96.5  96.3  96.0      98.6  98.6  96.7      0.064      0.084
    bootstrap-t on log ratios       92.8  95.0  92.8      93.1  91.2  89.3      93.9  93.2  86.0      0.065      0.087
    BCa, ratio of medians           89.5  90.1  91.2      90.8  89.5  90.0      88.0  91.3  91.1      0.101      0.103
    percentiles, ratio of medians   95.2  96.9  97.7      97.0  96.2  98.6      94.5  96.6  98.0      0.104      0.104

The BCa bootstrap of the median, which is not a smooth statistic, covers about 90 %. Percentile intervals cover 95 % but
ignore the pairing and are therefore 1.5 times as wide under drift. Rank intervals use the pairing, are 5 % wider than t
intervals for lognormal noise, and cover 95 % for any noise that is equal on both sides (at n = 8 the closest attainable
level is 96.1 %).

Limitation: with skewed noise in contended rounds only, the Hodges-Lehmann estimate of the blocks' ratios differs from
the ratio of medians. With exponential contended noise of 10 % it is 1.5 % higher, and at n = 20 only 86.5 % of the
intervals contain the ratio of medians (94.3 % at n = 10; percentile intervals: 95.7 % and 96.3 %). `show --json`
reports both. At n = 8 with spikes the interval is wide (0.60; percentiles 0.14), because it includes the outliers.

Coverage for other noise, and for dependent blocks: docs/explanation/statistics.md.
Sources: Hodges and Lehmann 1963; Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3.2-3.3 and 4.2-4.3.
"""

import warnings
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stressbench.stats.order_statistics import OrderStatistic, pairwise_differences, pairwise_means

CONFIDENCE = 0.95
MIN_PAIRS = 6
"""The widest interval of n pairs, from smallest to largest ratio, misses with probability 2^(1 - n): 6 % at n = 5."""
_MAX_EXACT_PAIRS = 100
_MAX_EXACT_PRODUCT = 2500
_MAX_SORTED_MEANS = 1000
_MAX_SORTED_DIFFERENCES = 1_000_000
"""Up to these numbers of values or pairs, all pairs are computed and sorted; above, bisection finds the bounds."""
_TAIL = (1 - CONFIDENCE) / 2

_RESAMPLES = 4999
_SEED = 1

Floats: TypeAlias = NDArray[np.float64]


class IntervalMethod(StrEnum):
    """Method of the congestion impact's 95 % interval; docs/explanation/statistics.md lists the coverage of each."""

    ranks = "ranks"
    bootstrap = "bootstrap"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate and its 95 % interval; low and high are None if there are too few values for an interval."""

    centre: float
    low: float | None
    high: float | None


def paired_interval(differences: Floats) -> Interval:
    """Hodges-Lehmann estimate of the centre of `differences`, shape (pairs,), not empty, with the Wilcoxon interval.

    The estimate is the median of all pairwise means; the bounds are order statistics of these means, given by the
    signed-rank distribution. Source: Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 3.2 and 3.3.
    """
    pairs = len(differences)
    if pairs > _MAX_SORTED_MEANS:
        return _interval_of_order_statistics(
            pairwise_means(differences), pairs * (pairs + 1) // 2, _wilcoxon_depth(pairs)
        )
    rows, columns = np.triu_indices(pairs)
    means = np.sort((differences[rows] + differences[columns]) / 2)
    return _interval_of_sorted(means, _wilcoxon_depth(pairs))


def unpaired_interval(first: Floats, second: Floats, *, confidence: float = CONFIDENCE) -> Interval:
    """Hodges-Lehmann estimate of the shift from `first` (n,) to `second` (m,), with the Mann-Whitney interval.

    Neither may be empty. The estimate is the median of all n m differences; the bounds are order statistics.
    `confidence`: the share of such intervals that contain the shift, at least. Source: Hollander, Wolfe and Chicken,
    Nonparametric Statistical Methods, 4.2 and 4.3.
    """
    count, depth = len(first) * len(second), _mann_whitney_depth(len(first), len(second), tail=(1 - confidence) / 2)
    if count > _MAX_SORTED_DIFFERENCES:
        return _interval_of_order_statistics(pairwise_differences(first, second), count, depth)
    return _interval_of_sorted(np.sort(np.subtract.outer(second, first), axis=None), depth)


def bootstrap_interval(isolated: Floats, contended: Floats) -> Interval:
    """Logarithm of the ratio of medians with its BCa bootstrap interval; both inputs are positive, shape (blocks,).

    Whole blocks are resampled 4999 times with a fixed seed, so the same file gives the same interval. There is no
    interval below 6 blocks, or if ties leave the acceleration undefined. Source: Efron 1987; `scipy.stats.bootstrap`.
    """
    centre = float(_log_ratio_of_medians(isolated, contended, axis=0))
    if len(isolated) < MIN_PAIRS:
        return Interval(centre=centre, low=None, high=None)
    if np.ptp(isolated) == 0 and np.ptp(contended) == 0:
        return Interval(centre=centre, low=centre, high=centre)
    from scipy import stats  # takes half a second to import

    with warnings.catch_warnings(), np.errstate(invalid="ignore"):  # bounds that are not finite become None below
        warnings.simplefilter("ignore", category=stats.DegenerateDataWarning)
        bounds = stats.bootstrap(
            (isolated, contended), _log_ratio_of_medians, paired=True, vectorized=True, method="BCa",
            confidence_level=CONFIDENCE, n_resamples=_RESAMPLES, rng=np.random.default_rng(_SEED),
        ).confidence_interval  # fmt: skip
    low, high = float(bounds.low), float(bounds.high)
    known = np.isfinite(low) and np.isfinite(high)
    return Interval(centre=centre, low=low if known else None, high=high if known else None)


def widen_interval(interval: Interval, factor: float) -> Interval:
    """The interval with both bounds moved to `factor` times their distance from the centre."""
    if interval.low is None or interval.high is None:
        return interval
    return Interval(
        centre=interval.centre,
        low=interval.centre - factor * (interval.centre - interval.low),
        high=interval.centre + factor * (interval.high - interval.centre),
    )


def _log_ratio_of_medians(isolated: Floats, contended: Floats, axis: int) -> Floats:
    ratio: Floats = np.log(np.median(contended, axis=axis) / np.median(isolated, axis=axis))
    return ratio


def _interval_of_sorted(ordered: Floats, depth: int) -> Interval:
    """Interval between the `depth`-th smallest and `depth`-th largest value; no bounds if depth is 0."""
    centre = float(np.median(ordered))
    if depth < 1:
        return Interval(centre=centre, low=None, high=None)
    return Interval(centre=centre, low=float(ordered[depth - 1]), high=float(ordered[-depth]))


def _interval_of_order_statistics(at: OrderStatistic, count: int, depth: int) -> Interval:
    """Same as `_interval_of_sorted` for `count` values that are given by their order statistics only."""
    centre = (at((count + 1) // 2) + at(count // 2 + 1)) / 2
    if depth < 1:
        return Interval(centre=centre, low=None, high=None)
    return Interval(centre=centre, low=at(depth), high=at(count + 1 - depth))


@lru_cache(maxsize=256)
def _wilcoxon_depth(pairs: int) -> int:
    """Largest k with P(T < k) <= 2.5 %, T the signed-rank statistic of `pairs` symmetric differences."""
    if pairs > _MAX_EXACT_PAIRS:
        middle = pairs * (pairs + 1) / 4
        return _normal_depth(middle, middle * (2 * pairs + 1) / 6)
    share = np.zeros(pairs * (pairs + 1) // 2 + 1)
    share[0] = 1.0
    for rank in range(1, pairs + 1):
        share[rank:] += share[:-rank].copy()
        share /= 2
    return _depth(share)


@lru_cache(maxsize=256)
def _mann_whitney_depth(first: int, second: int, *, tail: float = _TAIL) -> int:
    """Largest k with P(U < k) <= `tail`, U the Mann-Whitney statistic of two samples of these sizes."""
    if first * second > _MAX_EXACT_PRODUCT:
        return _normal_depth(first * second / 2, first * second * (first + second + 1) / 12, tail=tail)
    rows = [_point_mass_at_zero(first * second) for _ in range(second + 1)]
    for n in range(1, first + 1):
        for m in range(1, second + 1):  # the largest of n + m values comes from the first sample, or from the second
            shifted = np.zeros_like(rows[m])
            shifted[m:] = rows[m][: len(shifted) - m]
            rows[m] = (n * shifted + m * rows[m - 1]) / (n + m)
    return _depth(rows[second], tail=tail)


def _point_mass_at_zero(largest: int) -> Floats:
    share = np.zeros(largest + 1)
    share[0] = 1.0
    return share


def _depth(share: Floats, *, tail: float = _TAIL) -> int:
    return int(np.searchsorted(np.cumsum(share), tail, side="right"))


def _normal_depth(mean: float, variance: float, *, tail: float = _TAIL) -> int:
    return int(np.floor(mean + NormalDist().inv_cdf(tail) * np.sqrt(variance)))
