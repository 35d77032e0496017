"""How one set of samples is spread."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Of `count` samples, in the samples' own unit; percentiles interpolate linearly."""

    count: int
    min: float
    median: float
    mean: float
    max: float
    p95: float
    p99: float


def distribution_of(values: NDArray[np.float64]) -> Distribution | None:
    """Spread of `values`, shape (samples,); None when there are none."""
    if len(values) == 0:
        return None
    low, median, p95, p99, high = np.quantile(values, [0.0, 0.5, 0.95, 0.99, 1.0])
    return Distribution(
        count=len(values), min=float(low), median=float(median), mean=float(np.mean(values)), max=float(high),
        p95=float(p95), p99=float(p99),
    )  # fmt: skip
