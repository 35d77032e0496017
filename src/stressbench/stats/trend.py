"""Test for a monotonic trend in a series of values."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_MAX_VALUES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """Kendall's tau of the values with their order (-1 to 1), its two-sided p-value, and the total change.

    `change` is the Theil-Sen slope times the number of steps, in the unit of the values.
    """

    tau: float
    p: float
    change: float


def trend_of(values: NDArray[np.float64]) -> Trend:
    """Mann-Kendall test of `values`, shape (n,), n >= 3: normal approximation, corrected for ties and continuity.

    Series of more than 2,000 values are decimated evenly, because the number of pairs grows as n squared. Source:
    Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, 8.1 and 9.3. `scipy.stats.kendalltau` is not used,
    because importing it would add half a second to every `stressbench show`.
    """
    values = values[:: -(-len(values) // _MAX_VALUES)]
    n = len(values)
    first, later = np.triu_indices(n, k=1)
    differences = values[later] - values[first]
    score = float(np.sign(differences).sum())
    ties = np.unique(values, return_counts=True)[1]
    variance = (n * (n - 1) * (2 * n + 5) - float((ties * (ties - 1) * (2 * ties + 5)).sum())) / 18
    z = max(0.0, abs(score) - 1) / sqrt(variance) if variance > 0 else 0.0
    return Trend(
        tau=score / len(differences),
        p=2 * NormalDist().cdf(-z),
        change=float(np.median(differences / (later - first))) * (n - 1),
    )
