"""Statistics of histograms of gaps between calls. Pure.

Bucket 0 holds gaps below 64 ns, bucket k those in [64 * 2^((k-1)/2), 64 * 2^(k/2)) ns (docs/trace-format.md).
"""

import math

from stressbench.formats.trace import Gap

_LOWEST_S = 64e-9


def median_s(gap: Gap) -> float | None:
    """Median in seconds, interpolated geometrically within its bucket and limited to [min, max]; None if empty."""
    total = sum(n for _, n in gap.buckets)
    if not total:
        return None
    half, below = total / 2, 0.0
    for bucket, n in sorted(gap.buckets):
        if below + n >= half:
            share = (half - below) / n
            low = _LOWEST_S * 2 ** ((bucket - 1) / 2) if bucket else gap.min_s
            value = low * 2 ** (share / 2) if bucket else low + share * (_LOWEST_S - low)
            return min(max(value, gap.min_s), gap.max_s)
        below += n
    return gap.max_s


def mean_s(gap: Gap) -> float:
    """Mean in seconds; 0 without gaps."""
    return gap.sum_s / gap.n if gap.n else 0.0


def deviation_s(gap: Gap) -> float:
    """Population standard deviation in seconds; 0 without gaps."""
    if not gap.n:
        return 0.0
    mean = gap.sum_s / gap.n
    return math.sqrt(max(0.0, gap.sum_of_squares / gap.n - mean * mean))
