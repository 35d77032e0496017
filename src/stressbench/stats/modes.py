"""Do values gather around two times rather than one?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

LEAST_VALUES = 60
LEAST_APART = 1.1
LEAST_SHARE = 0.1
MODES_P = 1e-4

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """Two groups: the upper's middle over the lower's, the share of values in the upper, and p of so empty a valley."""

    apart: float
    upper_share: float
    p: float


def modes_of(values: Floats) -> Modes | None:
    """Of positive `values`, shape (n,); None where one group explains them, or where there are fewer than 60.

    The values are cut in two where the variance of logarithms within the parts is least (Otsu 1979). Three windows of
    the same width: around either part's median, and in the middle between. A density with one peak holds at least as
    much in the middle window as in the emptier of the outer two; a binomial test asks whether chance explains less.
    Groups less than 10 % apart, or with less than 10 % of the values, are not told.
    """
    if len(values) < LEAST_VALUES or values.min() <= 0:
        return None
    ordered = np.sort(np.log(values))
    cut = _best_cut(ordered)
    low, high = float(np.median(ordered[:cut])), float(np.median(ordered[cut:]))
    upper_share = 1 - cut / len(ordered)
    if high - low < np.log(LEAST_APART) or not LEAST_SHARE <= upper_share <= 1 - LEAST_SHARE:
        return None
    from scipy import special  # a third of a second, which only those who ask for it shall wait

    third = (high - low) / 3
    left, valley, right = (
        int(np.count_nonzero(np.abs(ordered - middle) < third / 2)) for middle in (low, (low + high) / 2, high)
    )
    smaller = min(left, right)
    p = float(special.bdtr(valley, valley + smaller, 0.5))
    return Modes(apart=float(np.exp(high - low)), upper_share=upper_share, p=p) if p < MODES_P else None


def _best_cut(ordered: Floats) -> int:
    """How many values the lower part holds."""
    sizes = np.arange(1, len(ordered))
    sums = np.cumsum(ordered)
    lower, upper = sums[:-1] / sizes, (sums[-1] - sums[:-1]) / (len(ordered) - sizes)
    between = sizes * (len(ordered) - sizes) * (upper - lower) ** 2
    return int(np.argmax(between)) + 1
