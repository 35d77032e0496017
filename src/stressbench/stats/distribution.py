"""How one set of samples is spread."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """Of `count` samples, in the samples' own unit; percentiles interpolate linearly.

    `median` is the median over rounds of each round's median, as in the congestion impact and in the engine's own
    table: a round counts once, however many repetitions it holds. All else is of the samples taken together.
    """

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


def plain_ratios(isolated: NDArray[np.float64], contended: NDArray[np.float64]) -> PlainRatios | None:
    """Of all samples, shape (samples,) each; None where one side is missing, or an isolated time is 0 s."""
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
    """Numbers of the rounds in ascending order and the median of each, from `values` and their `rounds`, (samples,)."""
    order = np.lexsort((values, rounds))
    numbers, starts, counts = np.unique(rounds[order], return_index=True, return_counts=True)
    ordered = values[order]
    return numbers, (ordered[starts + (counts - 1) // 2] + ordered[starts + counts // 2]) / 2


def distribution_of(values: NDArray[np.float64], rounds: NDArray[np.int64]) -> Distribution | None:
    """Spread of `values`, shape (samples,), measured in `rounds`, (samples,); None when there are none."""
    if len(values) == 0:
        return None
    low, p95, p99, high = np.quantile(values, [0.0, 0.95, 0.99, 1.0])
    _, medians = medians_by_round(values, rounds)
    return Distribution(
        count=len(values), min=float(low), median=float(np.median(medians)), mean=float(np.mean(values)),
        max=float(high), p95=float(p95), p99=float(p99),
    )  # fmt: skip
