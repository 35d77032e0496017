"""Thinning of overlapping points, so that the size of a page does not grow with the length of the run."""

import numpy as np
from numpy.typing import NDArray


def extreme_indices(values: NDArray[np.float64], *, max_count: int) -> NDArray[np.intp]:
    """Indices of at most `max_count` values, ascending: the minimum and maximum of each group of consecutive values.

    All indices if there are at most `max_count` values; `max_count` must be at least 2.
    """
    if len(values) <= max_count:
        return np.arange(len(values))
    groups = np.array_split(np.arange(len(values)), max_count // 2)
    ends = [(group[values[group].argmin()], group[values[group].argmax()]) for group in groups]
    return np.unique(np.array(ends, dtype=np.intp))
