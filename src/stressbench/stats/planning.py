"""Number of additional blocks needed for a congestion impact of a given precision."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p, sqrt

import numpy as np

from stressbench.stats.dependence import dependence_of
from stressbench.stats.impact import Pairing, pair_blocks, too_few
from stressbench.stats.intervals import CONFIDENCE, MIN_PAIRS, paired_interval
from stressbench.stats.selection import RoundMedian

CONSERVATIVE_PROBABILITY = 0.8
"""Probability that `more_blocks_sure` blocks suffice."""
MAX_BLOCKS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Additional blocks (an isolated round of each job and a contended round) for a half-width of `target`.

    `half_width` is the present half-width of the 95 % interval on a log scale, as a share of the ratio. `more_blocks`
    is the expected number of additional blocks. `more_blocks_sure` suffices with a probability of 80 %, as it allows
    for the uncertainty of the estimated noise. `reason` explains why values are None.
    """

    target: float
    blocks: int
    half_width: float | None
    more_blocks: int | None
    more_blocks_sure: int | None
    reason: str | None


def plan_of(rounds: Sequence[RoundMedian], *, target: float) -> Plan:
    """Plan for one job or step from its round medians; `target` is the half-width as a share above 0 (0.02: 2 %).

    The half-width is taken to decrease as t(n - 1) / sqrt(n), with Student's t, at constant noise and dependence. For
    `more_blocks_sure` the noise is set to its one-sided 80 % upper bound (chi-squared; Kupper and Hafner 1989).
    """
    pairing = pair_blocks(rounds)
    n = len(pairing.isolated)
    half_width = None if n < MIN_PAIRS or not _positive(pairing) else _half_width(pairing)
    if half_width is None:
        reason = too_few(n) if n < MIN_PAIRS else "a round's median time is 0 s, below what the clock resolves"
        return Plan(target=target, blocks=n, half_width=None, more_blocks=None, more_blocks_sure=None, reason=reason)
    from scipy import special  # importing it takes a third of a second

    target_half_width = log1p(target)
    upper_half_width = half_width * sqrt((n - 1) / float(special.chdtri(n - 1, CONSERVATIVE_PROBABILITY)))
    additional, conservative = (
        additional_blocks(half_width, n, target_half_width),
        0 if half_width <= target_half_width else additional_blocks(upper_half_width, n, target_half_width),
    )
    too_many = additional is None or conservative is None
    return Plan(
        target=target, blocks=n, half_width=float(np.expm1(half_width)), more_blocks=additional,
        more_blocks_sure=conservative,
        reason=f"more than {MAX_BLOCKS:,} blocks: reduce the noise first" if too_many else None,
    )  # fmt: skip


def _positive(pairing: Pairing) -> bool:
    return bool(min(pairing.isolated.min(), pairing.contended.min()) > 0)


def _half_width(pairing: Pairing) -> float | None:
    interval, dependence = paired_interval(pairing.log_ratios), dependence_of(pairing.log_ratios)
    if interval.low is None or interval.high is None:
        return None
    return (interval.high - interval.low) / 2 * (1.0 if dependence is None else dependence.factor)


def additional_blocks(half_width: float, n: int, target_half_width: float) -> int | None:
    """Number of blocks, or of runs, to add to `n` for at most `target_half_width`; None if over MAX_BLOCKS in all.

    Both half-widths are those of 95 % intervals of logarithms, above 0.
    """
    if half_width <= target_half_width:
        return 0
    too_few_blocks, enough = n, n
    while half_width * _relative_half_width(enough) / _relative_half_width(n) > target_half_width:
        if enough == MAX_BLOCKS:
            return None
        too_few_blocks, enough = enough, min(2 * enough, MAX_BLOCKS)
    while enough - too_few_blocks > 1:
        middle = (too_few_blocks + enough) // 2
        if half_width * _relative_half_width(middle) / _relative_half_width(n) > target_half_width:
            too_few_blocks = middle
        else:
            enough = middle
    return enough - n


def _relative_half_width(blocks: int) -> float:
    from scipy import special  # importing it takes a third of a second

    return float(special.stdtrit(blocks - 1, (1 + CONFIDENCE) / 2)) / sqrt(blocks)
