"""Ratio of two independent samples of times."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count
from math import comb, exp

import numpy as np

from stressbench.stats.intervals import CONFIDENCE, Floats, unpaired_interval


class RatioSource(StrEnum):
    """Unit of replication of an interval. Only intervals over runs include the variation between launches."""

    runs = "runs"
    rounds = "rounds"


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledRatio:
    """Hodges-Lehmann estimate of a ratio of times with its interval; `source` is None without an interval.

    `reason` explains why a value is None.
    """

    ratio: float | None
    low: float | None
    high: float | None
    source: RatioSource | None = None
    reason: str | None


def unpaired_ratio(first: Floats, second: Floats, *, what: str, confidence: float = CONFIDENCE) -> PooledRatio:
    """Ratio of `second` (m,) to `first` (n,), values of the same unit; `what` names the values in messages (plural).

    The estimate and its interval are those of `unpaired_interval` on the logarithms.
    """
    if min(len(first), len(second)) == 0:
        return _unknown(f"{len(first)} and {len(second)} {what}")
    if not all(np.all(np.isfinite(values) & (values > 0)) for values in (first, second)):
        return _unknown("a round's median time is 0 s, below what the clock resolves")
    estimate = unpaired_interval(np.log(first), np.log(second), confidence=confidence)
    reason = None
    if estimate.low is None:
        enough = _values_for(confidence)
        reason = (
            f"{len(first)} and {len(second)} {what}: too few for a {100 * confidence:.4g} % interval "
            f"({enough} and {enough} suffice)"
        )
    return PooledRatio(
        ratio=exp(estimate.centre),
        low=None if estimate.low is None else exp(estimate.low),
        high=None if estimate.high is None else exp(estimate.high),
        reason=reason,
    )


def pooled_ratio(first: Sequence[Floats], second: Sequence[Floats], *, what: str) -> PooledRatio:
    """Ratio of `second` to `first`, each a list of runs with the times of their rounds, shape (rounds,).

    It is computed from the runs' medians if these allow an interval, else from the pooled rounds of all runs.
    """
    by_run = unpaired_ratio(_medians(first), _medians(second), what="runs")
    if by_run.low is not None:
        return replace(by_run, source=RatioSource.runs)
    by_round = unpaired_ratio(concatenate_rounds(first), concatenate_rounds(second), what=what)
    return replace(by_round, source=RatioSource.rounds) if by_round.low is not None else by_round


def _medians(runs: Sequence[Floats]) -> Floats:
    return np.array([np.median(rounds) for rounds in runs if len(rounds)])


def concatenate_rounds(runs: Sequence[Floats]) -> Floats:
    """Times of the rounds of all runs in one array; empty without runs."""
    return np.concatenate([np.empty(0), *runs])


def _values_for(confidence: float) -> int:
    """The smallest n for which two samples of n values have an interval, from the smallest to the largest ratio."""
    return next(n for n in count(1) if 1 / comb(2 * n, n) <= (1 - confidence) / 2)


def _unknown(reason: str) -> PooledRatio:
    return PooledRatio(ratio=None, low=None, high=None, reason=reason)
