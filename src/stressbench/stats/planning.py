"""How many more rounds until the congestion impact is known as closely as someone wants."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p, sqrt

import numpy as np

from stressbench.stats.dependence import dependence_of
from stressbench.stats.impact import Pairing, pair_blocks, too_few
from stressbench.stats.intervals import CONFIDENCE, LEAST_PAIRS, paired_interval
from stressbench.stats.selection import RoundMedian

SURE = 0.8
"""How sure the larger number of a plan makes."""
MOST_BLOCKS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Blocks (an isolated round of each job and a contended one) until the 95 % interval's half-width is `target`.

    `half_width` is today's: a share of the ratio, half the interval's width on a log scale. `more_blocks` should
    do; `more_blocks_sure` does in four runs of five, because today's noise is itself only estimated. `reason` says why
    numbers are None.
    """

    target: float
    blocks: int
    half_width: float | None
    more_blocks: int | None
    more_blocks_sure: int | None
    reason: str | None


def plan_of(rounds: Sequence[RoundMedian], *, target: float) -> Plan:
    """From one job's or step's round medians; `target` above 0, 0.02 for 2 %.

    The half-width shrinks as t(n - 1) / sqrt(n), Student's t, and blocks are taken to stay as noisy and as dependent
    as they are. The larger number takes the noise at the end of its one-sided 80 % bound (chi-squared; Kupper and
    Hafner 1989).
    """
    pairing = pair_blocks(rounds)
    n = len(pairing.isolated)
    half = None if n < LEAST_PAIRS or not _positive(pairing) else _half_width(pairing)
    if half is None:
        reason = too_few(n) if n < LEAST_PAIRS else "a round's median time is 0 s, below what the clock resolves"
        return Plan(target=target, blocks=n, half_width=None, more_blocks=None, more_blocks_sure=None, reason=reason)
    from scipy import special  # a third of a second, which only those who ask for it shall wait

    wanted = log1p(target)
    larger = half * sqrt((n - 1) / float(special.chdtri(n - 1, SURE)))
    more, sure = _more(half, n, wanted), 0 if half <= wanted else _more(larger, n, wanted)
    far = more is None or sure is None
    return Plan(
        target=target, blocks=n, half_width=float(np.expm1(half)), more_blocks=more, more_blocks_sure=sure,
        reason=f"more than {MOST_BLOCKS:,} blocks: lessen the noise first" if far else None,
    )  # fmt: skip


def _positive(pairing: Pairing) -> bool:
    return bool(min(pairing.isolated.min(), pairing.contended.min()) > 0)


def _half_width(pairing: Pairing) -> float | None:
    interval, dependence = paired_interval(pairing.log_ratios), dependence_of(pairing.log_ratios)
    if interval.low is None or interval.high is None:
        return None
    return (interval.high - interval.low) / 2 * (1.0 if dependence is None else dependence.factor)


def _more(half: float, n: int, wanted: float) -> int | None:
    """Smallest m - n of m >= n blocks whose half-width is at most `wanted`; None beyond MOST_BLOCKS."""
    if half <= wanted:
        return 0
    short, enough = n, n
    while half * _shrinking(enough) / _shrinking(n) > wanted:
        if enough == MOST_BLOCKS:
            return None
        short, enough = enough, min(2 * enough, MOST_BLOCKS)
    while enough - short > 1:
        middle = (short + enough) // 2
        if half * _shrinking(middle) / _shrinking(n) > wanted:
            short = middle
        else:
            enough = middle
    return enough - n


def _shrinking(blocks: int) -> float:
    from scipy import special  # a third of a second, which only those who ask for it shall wait

    return float(special.stdtrit(blocks - 1, (1 + CONFIDENCE) / 2)) / sqrt(blocks)
