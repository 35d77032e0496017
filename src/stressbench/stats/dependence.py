"""Test for serial dependence: whether values correlate with their predecessors."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

MIN_VALUES = 10
"""With fewer values the test rarely detects even a lag-1 autocorrelation of 0.9."""
DEPENDENCE_P = 0.025
_MAX_LAG1 = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """Lag-1 autocorrelation of a series (-1 to 1, corrected for its length) and its one-sided p-value against 0.

    `factor` widens a confidence interval that assumes independent values; it is above 1 only if p < 2.5 %.
    """

    lag1: float
    p: float

    @property
    def present(self) -> bool:
        """Whether the autocorrelation is positive and significant."""
        return self.p < DEPENDENCE_P and self.lag1 > 0

    @property
    def factor(self) -> float:
        """sqrt((1 + r) / (1 - r)): standard error of the mean of an AR(1) series relative to independent values."""
        return sqrt((1 + self.lag1) / (1 - self.lag1)) if self.present else 1.0


def dependence_of(values: NDArray[np.float64]) -> Dependence | None:
    """Lag-1 dependence of `values` in their order, shape (n,); None for n < 10 or if all values are equal.

    The p-value is that of von Neumann's ratio of ranks, which is robust to heavy tails (Bartels 1982). The
    autocorrelation is the sample estimate with its bias of about -(1 + 4 r) / n removed (Marriott and Pope 1954),
    limited to [-0.9, 0.9].
    """
    n = len(values)
    if n < MIN_VALUES or values.min() == values.max():
        return None
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    ratio = float(np.sum(np.diff(ranks) ** 2) / np.sum((ranks - ranks.mean()) ** 2))
    variance = 4 * (n - 2) * (5 * n * n - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) ** 2)
    centred = values - values.mean()
    raw = float(np.sum(centred[1:] * centred[:-1]) / np.sum(centred**2))
    return Dependence(
        lag1=min(_MAX_LAG1, max(-_MAX_LAG1, (n * raw + 1) / (n - 4))), p=NormalDist().cdf((ratio - 2) / sqrt(variance))
    )
