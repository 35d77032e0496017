"""Order statistics of all pairs of many values, without making the pairs: time and memory stay far below n squared."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
OrderStatistic: TypeAlias = Callable[[int], float]
"""Gives the value at a place, counted from 1 in ascending order, to a rounding error."""


def pairwise_means(values: Floats) -> OrderStatistic:
    """Of the means of all pairs of `values`, each with itself too: n (n + 1) / 2 of them."""
    ordered = np.sort(values)
    places = np.arange(len(ordered))

    def reached(mean: float) -> int:
        later = np.searchsorted(ordered, 2 * mean - ordered, side="right") - places
        return int(np.maximum(later, 0).sum())

    return lambda place: _bisected(float(ordered[0]), float(ordered[-1]), reached, place)


def pairwise_differences(first: Floats, second: Floats) -> OrderStatistic:
    """Of the differences from each of `first` to each of `second`: n m of them."""
    left, right = np.sort(first), np.sort(second)

    def reached(shift: float) -> int:
        return int(np.searchsorted(right, left + shift, side="right").sum())

    return lambda place: _bisected(float(right[0] - left[-1]), float(right[-1] - left[0]), reached, place)


def _bisected(low: float, high: float, reached: Callable[[float], int], place: int) -> float:
    """The smallest number that `place` values do not exceed."""
    while low < (middle := low + (high - low) / 2) < high:
        if reached(middle) >= place:
            high = middle
        else:
            low = middle
    return high
