"""Order statistics of the means or differences of all pairs of values, found by bisection in O(n log n) per step.

The pairs are never computed all at once, so time and memory stay far below n squared.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
OrderStatistic: TypeAlias = Callable[[int], float]
"""Function from a rank k (from 1, ascending) to the k-th smallest value, accurate to rounding errors."""


def pairwise_means(values: Floats) -> OrderStatistic:
    """Order statistics of the n (n + 1) / 2 means of all pairs of `values`, shape (n,), including each with itself."""
    ordered = np.sort(values)
    indices = np.arange(len(ordered))

    def count_up_to(mean: float) -> int:
        partners = np.searchsorted(ordered, 2 * mean - ordered, side="right") - indices
        return int(np.maximum(partners, 0).sum())

    return lambda rank: _bisect(float(ordered[0]), float(ordered[-1]), count_up_to, rank)


def pairwise_differences(first: Floats, second: Floats) -> OrderStatistic:
    """Order statistics of the n m differences `second[j] - first[i]`; shapes (n,) and (m,)."""
    left, right = np.sort(first), np.sort(second)

    def count_up_to(shift: float) -> int:
        return int(np.searchsorted(right, left + shift, side="right").sum())

    return lambda rank: _bisect(float(right[0] - left[-1]), float(right[-1] - left[0]), count_up_to, rank)


def _bisect(low: float, high: float, count_up_to: Callable[[float], int], rank: int) -> float:
    """Smallest x in [low, high] with count_up_to(x) >= rank."""
    while low < (middle := low + (high - low) / 2) < high:
        if count_up_to(middle) >= rank:
            high = middle
        else:
            low = middle
    return high
