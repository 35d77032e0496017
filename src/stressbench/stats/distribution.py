"""Summary statistics of a set of samples."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Summary statistics of `count` samples, in the unit of the samples. Percentiles interpolate linearly.

    `median` is the median of the rounds' medians, as in the congestion impact and in the engine's own table, so every
    round has the same weight whatever its number of repetitions. All other values are those of the pooled samples.
    """

    count: int
    min: float
    median: float
    mean: float
    max: float
    p95: float
    p99: float


def median_of(spread: Distribution | None) -> float | None:
    """The median of a distribution; None if there is no distribution."""
    return None if spread is None else spread.median


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainRatios:
    """Contended divided by isolated minimum, median and mean of all samples, for comparison with other tools.

    Figure 1 of the StressBench paper shows ratios of means; many microbenchmarks report minima. No intervals are given:
    a mean depends on its few largest samples, and a minimum on the number of samples.
    """

    min_to_min: float
    median_to_median: float
    mean_to_mean: float


def plain_ratios(isolated: NDArray[np.float64], contended: NDArray[np.float64]) -> PlainRatios | None:
    """Ratios of all samples, shapes (n,) and (m,); None if either array is empty or an isolated time is 0 s."""
    if len(isolated) == 0 or len(contended) == 0 or isolated.min() <= 0:
        return None
    return PlainRatios(
        min_to_min=float(contended.min() / isolated.min()),
        median_to_median=float(np.median(contended) / np.median(isolated)),
        mean_to_mean=float(contended.mean() / isolated.mean()),
    )


def medians_by_round(
    values: NDArray[np.float64], rounds: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Round numbers in ascending order and the median of each round; `values` and `rounds` have shape (samples,)."""
    order = np.lexsort((values, rounds))
    numbers, starts, counts = np.unique(rounds[order], return_index=True, return_counts=True)
    ordered = values[order]
    return numbers, (ordered[starts + (counts - 1) // 2] + ordered[starts + counts // 2]) / 2


def distribution_of(values: NDArray[np.float64], rounds: NDArray[np.int64]) -> Distribution | None:
    """Summary of `values` measured in `rounds`, both of shape (samples,); None if there are no values."""
    if len(values) == 0:
        return None
    low, p95, p99, high = np.quantile(values, [0.0, 0.95, 0.99, 1.0])
    _, medians = medians_by_round(values, rounds)
    return Distribution(
        count=len(values), min=float(low), median=float(np.median(medians)), mean=float(np.mean(values)),
        max=float(high), p95=float(p95), p99=float(p99),
    )  # fmt: skip
