"""One job's congestion impact over several runs of the same cell."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp, log

import numpy as np

from stressbench.stats.impact import Impact, congestion_impact
from stressbench.stats.intervals import MIN_PAIRS, paired_interval
from stressbench.stats.planning import Plan, plan_of
from stressbench.stats.selection import RoundMedian

_MORE_RUNS = "the interval is that of runs, and more runs (`repetitions`) make it narrower, not more rounds"
_RUN_OFFSET = 1_000_000


class IntervalLevel(StrEnum):
    """What the interval is made from. Blocks cannot see what varies from launch to launch; runs can."""

    runs = "runs"
    blocks = "blocks"


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledImpact:
    """Ratio and 95 % interval; `reason` says in words why a number is None."""

    ratio: float | None
    low: float | None
    high: float | None
    runs: int
    level: IntervalLevel | None
    reason: str | None


def pooled_impact(runs: Sequence[Sequence[RoundMedian]]) -> PooledImpact:
    """From the rounds of each run: of six runs or more their own ratios count, of fewer all of their blocks."""
    each = [congestion_impact(rounds) for rounds in runs]
    ratios = [impact.ratio for impact in each if impact.ratio is not None]
    if len(ratios) >= MIN_PAIRS:
        estimate = paired_interval(np.array([log(ratio) for ratio in ratios]))
        low, high = (None if end is None else exp(end) for end in (estimate.low, estimate.high))
        return PooledImpact(
            ratio=exp(estimate.centre), low=low, high=high, runs=len(ratios), level=IntervalLevel.runs, reason=None
        )
    return _of_blocks(congestion_impact(concatenate_runs(runs)), runs=len(ratios))


def concatenate_runs(runs: Sequence[Sequence[RoundMedian]]) -> list[RoundMedian]:
    """Rounds of all runs, of which each keeps its blocks."""
    return [
        replace(found, launch=found.launch + _RUN_OFFSET * run) for run, rounds in enumerate(runs) for found in rounds
    ]


def pooled_plan(runs: Sequence[Sequence[RoundMedian]], impact: PooledImpact, *, target: float) -> Plan:
    """How many more blocks, over all runs, an interval made from blocks takes; one made from runs takes more runs."""
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
