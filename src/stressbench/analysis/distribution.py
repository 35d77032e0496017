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


def median_of(spread: Distribution | None) -> float | None:
    """None where there are no samples."""
    return None if spread is None else spread.median


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRatios:
    """Contended over isolated samples as other tools divide them: the paper's Figure 1 shows means, many loops minima.

    No intervals: a mean follows its few largest samples, a minimum the number of samples.
    """

    min_to_min: float
    median_to_median: float
    mean_to_mean: float


def plain_ratios(isolated: Distribution | None, contended: Distribution | None) -> PlainRatios | None:
    """None where one side is missing, or an isolated time is 0 s."""
    if isolated is None or contended is None or isolated.min <= 0:
        return None
    return PlainRatios(
        min_to_min=contended.min / isolated.min, median_to_median=contended.median / isolated.median,
        mean_to_mean=contended.mean / isolated.mean,
    )  # fmt: skip


def distribution_of(values: NDArray[np.float64]) -> Distribution | None:
    """Spread of `values`, shape (samples,); None when there are none."""
    if len(values) == 0:
        return None
    low, median, p95, p99, high = np.quantile(values, [0.0, 0.5, 0.95, 0.99, 1.0])
    return Distribution(
        count=len(values), min=float(low), median=float(median), mean=float(np.mean(values)), max=float(high),
        p95=float(p95), p99=float(p99),
    )  # fmt: skip
