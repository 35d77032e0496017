"""Fewer points where many would lie on each other: a page's size must not grow with the run."""

import numpy as np
from numpy.typing import NDArray


def outermost(values: NDArray[np.float64], *, most: int) -> NDArray[np.intp]:
    """Places of at most `most` of these values, in order: of each stretch of neighbours the smallest and the largest.

    All where they are no more than that; `most` is at least 2.
    """
    if len(values) <= most:
        return np.arange(len(values))
    stretches = np.array_split(np.arange(len(values)), most // 2)
    ends = [(part[values[part].argmin()], part[values[part].argmax()]) for part in stretches]
    return np.unique(np.array(ends, dtype=np.intp))
