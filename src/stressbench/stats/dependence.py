"""Does a value resemble the one before it?"""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

MIN_VALUES = 10
"""With fewer the test would hardly see a lag-1 autocorrelation of 0.9."""
DEPENDENCE_P = 0.025
_MAX_LAG1 = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """Lag-1 autocorrelation of a series (-1 to 1), corrected for its length, and the one-sided p of its being above 0.

    `factor` is by how much an interval of the middle, made for independent values, must be widened: above 1 only where
    p < 2.5 %.
    """

    lag1: float
    p: float

    @property
    def present(self) -> bool:
        """Whether chance is a poor explanation."""
        return self.p < DEPENDENCE_P and self.lag1 > 0

    @property
    def factor(self) -> float:
        """sqrt((1 + r) / (1 - r)), by which the mean of an AR(1) series varies more than that of independent values."""
        return sqrt((1 + self.lag1) / (1 - self.lag1)) if self.present else 1.0


def dependence_of(values: NDArray[np.float64]) -> Dependence | None:
    """Of `values` in their order, shape (n,); None for fewer than 10, or where all are equal.

    p: von Neumann's ratio of the ranks, so that heavy tails do not matter (Bartels 1982). r: the usual estimate, which
    is too low by about (1 + 4 r) / n (Marriott and Pope 1954), and at most 0.9.
    """
    n = len(values)
    if n < MIN_VALUES or values.min() == values.max():
        return None
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[which]
    ratio = float(np.sum(np.diff(ranks) ** 2) / np.sum((ranks - ranks.mean()) ** 2))
    variance = 4 * (n - 2) * (5 * n * n - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) ** 2)
    centred = values - values.mean()
    raw = float(np.sum(centred[1:] * centred[:-1]) / np.sum(centred**2))
    return Dependence(
        lag1=min(_MAX_LAG1, max(-_MAX_LAG1, (n * raw + 1) / (n - 4))), p=NormalDist().cdf((ratio - 2) / sqrt(variance))
    )
