"""Test for bimodality of times."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MIN_VALUES = 60
MIN_SEPARATION = 1.1
MIN_SHARE = 0.1
MODES_P = 1e-4

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """Two modes: ratio of the upper group's median to the lower's, share of values in the upper group, and p-value."""

    separation: float
    upper_share: float
    p: float


def modes_of(values: Floats) -> Modes | None:
    """The two modes of positive `values`, shape (n,); None if a unimodal distribution explains them, or for n < 60.

    The values are split where the variance of their logarithms within both groups is smallest (Otsu 1979). Three
    windows of equal width lie around the two groups' medians and halfway between them. A unimodal density has at least
    as many values in the middle window as in the emptier outer window; a binomial test rejects this at MODES_P. Groups
    whose medians differ by less than 10 %, or with less than 10 % of the values, are not reported.
    """
    if len(values) < MIN_VALUES or values.min() <= 0:
        return None
    ordered = np.sort(np.log(values))
    cut = _best_cut(ordered)
    low, high = float(np.median(ordered[:cut])), float(np.median(ordered[cut:]))
    upper_share = 1 - cut / len(ordered)
    if high - low < np.log(MIN_SEPARATION) or not MIN_SHARE <= upper_share <= 1 - MIN_SHARE:
        return None
    from scipy import special  # importing it takes a third of a second

    third = (high - low) / 3
    left, valley, right = (
        int(np.count_nonzero(np.abs(ordered - middle) < third / 2)) for middle in (low, (low + high) / 2, high)
    )
    smaller = min(left, right)
    p = float(special.bdtr(valley, valley + smaller, 0.5))
    return Modes(separation=float(np.exp(high - low)), upper_share=upper_share, p=p) if p < MODES_P else None


def _best_cut(ordered: Floats) -> int:
    """Number of values in the lower group of Otsu's split (largest variance between groups)."""
    sizes = np.arange(1, len(ordered))
    sums = np.cumsum(ordered)
    lower, upper = sums[:-1] / sizes, (sums[-1] - sums[:-1]) / (len(ordered) - sizes)
    between = sizes * (len(ordered) - sizes) * (upper - lower) ** 2
    return int(np.argmax(between)) + 1
