"""Congestion impact: contended time over isolated time, Equation (3) of the StressBench paper, with a 95 % interval."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import exp
from statistics import median

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run import Kind
from stressbench.stats.dependence import Dependence, dependence_of
from stressbench.stats.intervals import (
    MIN_PAIRS,
    Interval,
    IntervalMethod,
    bootstrap_interval,
    paired_interval,
    unpaired_interval,
    widen_interval,
)
from stressbench.stats.selection import RoundMedian


class Method(StrEnum):
    """Estimator and interval of a congestion impact; see `stats.intervals`."""

    paired = "paired blocks: Hodges-Lehmann estimate, Wilcoxon interval"
    bootstrap = "paired blocks: ratio of medians, BCa bootstrap interval"
    unpaired = "rounds of different blocks: Hodges-Lehmann estimate, Mann-Whitney interval"


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """Congestion impact of a job or step with its 95 % interval [low, high].

    `ratio` is the Hodges-Lehmann estimate of the ratios within blocks, in which drift between blocks cancels.
    `ratio_of_medians` is the ratio of the medians over all rounds: Equation (3) of the StressBench paper, with medians
    for times. `isolated_alone` and `contended_alone` count unpaired rounds. `autocorrelation` is the lag-1
    autocorrelation of the blocks' log ratios (None below 10 blocks); if it is significant, the interval is widened by
    the factor `widened_by` (docs/explanation/statistics.md). `reason` explains why a value is None.
    """

    ratio: float | None
    low: float | None
    high: float | None
    ratio_of_medians: float | None
    paired_blocks: int
    isolated_alone: int
    contended_alone: int
    method: Method | None
    autocorrelation: float | None
    widened_by: float
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """Round medians (s). `isolated` and `contended`, shape (blocks,), are paired by block; the others are unpaired."""

    isolated: NDArray[np.float64]
    contended: NDArray[np.float64]
    isolated_alone: NDArray[np.float64]
    contended_alone: NDArray[np.float64]

    @property
    def log_ratios(self) -> NDArray[np.float64]:
        """Natural logarithm of each block's ratio of contended to isolated time, shape (blocks,)."""
        ratios: NDArray[np.float64] = np.log(self.contended / self.isolated)
        return ratios

    @property
    def all_isolated(self) -> NDArray[np.float64]:
        """Times of all isolated rounds, paired or not."""
        return np.concatenate([self.isolated, self.isolated_alone])

    @property
    def all_contended(self) -> NDArray[np.float64]:
        """Times of all contended rounds, paired or not."""
        return np.concatenate([self.contended, self.contended_alone])


def pair_blocks(rounds: Sequence[RoundMedian]) -> Pairing:
    """Pair isolated and contended rounds by launch and block; several of one kind in a block enter by their median."""
    blocks: defaultdict[tuple[int, int], tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for round_ in rounds:
        blocks[round_.launch, round_.block][round_.kind is Kind.contended].append(round_.median_s)
    complete = [block for block in blocks.values() if all(block)]
    incomplete = [block for block in blocks.values() if not all(block)]
    return Pairing(
        isolated=np.array([median(isolated) for isolated, _ in complete]),
        contended=np.array([median(contended) for _, contended in complete]),
        isolated_alone=np.array([value for isolated, _ in incomplete for value in isolated]),
        contended_alone=np.array([value for _, contended in incomplete for value in contended]),
    )


def congestion_impact(rounds: Sequence[RoundMedian], *, interval: IntervalMethod = IntervalMethod.ranks) -> Impact:
    """Congestion impact (StressBench paper, Equation 3) of one job or step from the medians of its rounds.

    Only paired rounds count, except with fewer than 6 pairs and at least 6 unpaired rounds of each kind, as in a file
    with all isolated rounds first. The impact then comes from all rounds as independent samples: its interval does not
    cancel drift, and it is always rank-based, because the bootstrap of `interval` resamples whole blocks.
    """
    pairing = pair_blocks(rounds)
    reason = _no_ratio(pairing)
    if reason is not None:
        return _impact(pairing, estimate=None, method=None, reason=reason)
    pairs = len(pairing.isolated)
    if pairs < MIN_PAIRS and min(len(pairing.isolated_alone), len(pairing.contended_alone)) >= MIN_PAIRS:
        estimate = unpaired_interval(np.log(pairing.all_isolated), np.log(pairing.all_contended))
        return _impact(pairing, estimate=estimate, method=Method.unpaired, reason=None)
    if pairs == 0:
        estimate = unpaired_interval(np.log(pairing.all_isolated), np.log(pairing.all_contended))
        estimate = Interval(centre=estimate.centre, low=None, high=None)
        return _impact(pairing, estimate=estimate, method=Method.unpaired, reason=too_few(0))
    return _paired_impact(pairing, interval=interval)


def _paired_impact(pairing: Pairing, *, interval: IntervalMethod) -> Impact:
    pairs = len(pairing.isolated)
    dependence = dependence_of(pairing.log_ratios)
    if interval is IntervalMethod.bootstrap:
        method, estimate = Method.bootstrap, bootstrap_interval(pairing.isolated, pairing.contended)
    else:
        method, estimate = Method.paired, paired_interval(pairing.log_ratios)
    reason = None
    if estimate.low is None:
        reason = too_few(pairs) if pairs < MIN_PAIRS else "too many equal times for the bootstrap: use ranks"
    estimate = widen_interval(estimate, 1.0 if dependence is None else dependence.factor)
    return _impact(pairing, estimate=estimate, method=method, reason=reason, dependence=dependence)


def too_few(pairs: int) -> str:
    """Reason why this number of pairs does not allow a 95 % interval."""
    return f"{pairs} paired block{'' if pairs == 1 else 's'}: a 95 % interval needs at least {MIN_PAIRS}"


def _no_ratio(pairing: Pairing) -> str | None:
    if len(pairing.all_isolated) == 0:
        return "no isolated rounds"
    if len(pairing.all_contended) == 0:
        return "no contended rounds"
    if min(pairing.all_isolated.min(), pairing.all_contended.min()) <= 0:
        return "a round's median time is 0 s, below what the clock resolves"
    return None


def _impact(
    pairing: Pairing, *, estimate: Interval | None, method: Method | None, reason: str | None,
    dependence: Dependence | None = None,
) -> Impact:  # fmt: skip
    return Impact(
        ratio=None if estimate is None else exp(estimate.centre),
        low=None if estimate is None or estimate.low is None else exp(estimate.low),
        high=None if estimate is None or estimate.high is None else exp(estimate.high),
        ratio_of_medians=None if estimate is None else _ratio_of_medians(pairing),
        paired_blocks=len(pairing.isolated),
        isolated_alone=len(pairing.isolated_alone),
        contended_alone=len(pairing.contended_alone),
        method=method,
        autocorrelation=None if dependence is None else dependence.lag1,
        widened_by=1.0 if dependence is None else dependence.factor,
        reason=reason,
    )


def _ratio_of_medians(pairing: Pairing) -> float:
    return float(np.median(pairing.all_contended) / np.median(pairing.all_isolated))
