"""Congestion impact of one job over several runs of the same study cell."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp, log

import numpy as np

from stressbench.stats.impact import Impact, congestion_impact
from stressbench.stats.intervals import MIN_PAIRS, paired_interval
from stressbench.stats.planning import Plan, plan_of
from stressbench.stats.selection import RoundMedian

_MORE_RUNS = "the interval is computed from runs: more runs (`repetitions`), not more rounds, make it narrower"
_RUN_OFFSET = 1_000_000


class IntervalLevel(StrEnum):
    """Unit of replication of an interval. Only intervals over runs include the variation between launches."""

    runs = "runs"
    blocks = "blocks"


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledImpact:
    """Congestion impact over `runs` runs with its 95 % interval; `reason` explains why a value is None."""

    ratio: float | None
    low: float | None
    high: float | None
    runs: int
    level: IntervalLevel | None
    reason: str | None


def pooled_impact(runs: Sequence[Sequence[RoundMedian]]) -> PooledImpact:
    """Congestion impact from the rounds of each run: over the impacts of at least 6 runs, else over all blocks."""
    impacts = [congestion_impact(rounds) for rounds in runs]
    ratios = [impact.ratio for impact in impacts if impact.ratio is not None]
    if len(ratios) >= MIN_PAIRS:
        estimate = paired_interval(np.array([log(ratio) for ratio in ratios]))
        low, high = (None if bound is None else exp(bound) for bound in (estimate.low, estimate.high))
        return PooledImpact(
            ratio=exp(estimate.centre), low=low, high=high, runs=len(ratios), level=IntervalLevel.runs, reason=None
        )
    return _of_blocks(congestion_impact(concatenate_runs(runs)), runs=len(ratios))


def concatenate_runs(runs: Sequence[Sequence[RoundMedian]]) -> list[RoundMedian]:
    """Rounds of all runs, with launch numbers that keep the blocks of different runs apart."""
    return [
        replace(round_, launch=round_.launch + _RUN_OFFSET * run)
        for run, rounds in enumerate(runs)
        for round_ in rounds
    ]


def pooled_plan(runs: Sequence[Sequence[RoundMedian]], impact: PooledImpact, *, target: float) -> Plan:
    """Additional blocks over all runs for an interval over blocks; without numbers for an interval over runs."""
    if impact.level is IntervalLevel.runs:
        return Plan(
            target=target, blocks=0, half_width=None, more_blocks=None, more_blocks_sure=None, reason=_MORE_RUNS
        )
    return plan_of(concatenate_runs(runs), target=target)


def _of_blocks(impact: Impact, *, runs: int) -> PooledImpact:
    return PooledImpact(
        ratio=impact.ratio,
        low=impact.low,
        high=impact.high,
        runs=runs,
        level=None if impact.low is None else IntervalLevel.blocks,
        reason=impact.reason if runs else impact.reason or "no runs",
    )
