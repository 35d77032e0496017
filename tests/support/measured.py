"""Verdicts on measurements: the median of a sample of fixed size with its 95 % interval, against a tolerance.

A figure fails only if its interval lies entirely outside of the tolerance, so that chance is no explanation. Nothing is
measured again. An interval that overlaps the edge of the tolerance is `undecided`: it passes and is reported as such,
and more samples (`--samples`) would decide it.

"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from scipy import stats

CONFIDENCE = 0.95
LEAST = 6
"""Samples: the range of n values misses their median with 2 * 2^-n, which is over 5 % for n = 5."""


class Verdict(StrEnum):
    """Position of an interval: within the tolerance, across its edge, or outside."""

    within = "within"
    undecided = "undecided"
    outside = "OUTSIDE"


@dataclass(frozen=True, kw_only=True)
class Tolerated:
    """The accepted range of values, bounds included, with the reason; `expected` is None if only a bound is known."""

    low: float
    high: float
    expected: float | None = None

    def __str__(self) -> str:
        if self.expected is not None:
            return f"{self.expected:.5g}, tolerated {self.low:.5g} to {self.high:.5g}"
        return f"at most {self.high:.5g}" if math.isinf(self.low) else f"at least {self.low:.5g}"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A value with its 95 % interval from `n` independent measurements, and the accepted range."""

    name: str
    value: float
    low: float
    high: float
    n: int
    tolerated: Tolerated
    values: tuple[float, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Position of the interval relative to the accepted range."""
        if self.low > self.tolerated.high or self.high < self.tolerated.low:
            return Verdict.outside
        inside = self.tolerated.low <= self.low and self.high <= self.tolerated.high
        return Verdict.within if inside else Verdict.undecided

    def __str__(self) -> str:
        interval = f"{self.value:.5g} [{self.low:.5g}, {self.high:.5g}], n = {self.n}"
        return f"{self.name}: {interval}; expected {self.tolerated}: {self.verdict}"

    def record(self) -> dict[str, Any]:
        """The figure as a JSON object with its printed line; an open bound is null."""
        fields = asdict(self)
        fields["tolerated"] = {key: _finite(value) for key, value in fields["tolerated"].items()}
        return {**fields, "verdict": self.verdict.value, "said": str(self)}


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isinf(value) else value


def around(expected: float, *, within: float) -> Tolerated:
    """`expected` within a relative tolerance."""
    margin = abs(expected) * within
    return Tolerated(low=expected - margin, high=expected + margin, expected=expected)


def at_most(most: float) -> Tolerated:
    return Tolerated(low=-math.inf, high=most)


def at_least(least: float) -> Tolerated:
    return Tolerated(low=least, high=math.inf)


def median_of(name: str, values: Sequence[float], tolerated: Tolerated) -> Figure:
    """Median of independent measurements with the exact interval from its order statistics.

    There is no assumption about the distribution. Raises ValueError below 6 measurements.
    """
    if len(values) < LEAST:
        raise ValueError(f"{name}: {len(values)} samples: a 95 % interval of the median needs at least {LEAST}")
    bounds = stats.quantile_test(values, p=0.5).confidence_interval(confidence_level=CONFIDENCE)
    return Figure(
        name=name, value=float(np.median(values)), low=float(bounds.low), high=float(bounds.high), n=len(values),
        tolerated=tolerated, values=tuple(map(float, values)),
    )  # fmt: skip


def reported_ratio(name: str, record: Mapping[str, Any], n: int, tolerated: Tolerated) -> Figure:
    """A ratio with the interval that the program reports in its JSON."""
    return Figure(name=name, value=record["ratio"], low=record["low"], high=record["high"], n=n, tolerated=tolerated)


def share_of(name: str, count: int, of: int, tolerated: Tolerated) -> Figure:
    """Share of successes in independent trials with the exact interval (Clopper and Pearson 1934)."""
    bounds = stats.binomtest(count, of).proportion_ci(confidence_level=CONFIDENCE, method="exact")
    return Figure(
        name=name, value=count / of, low=float(bounds.low), high=float(bounds.high), n=of, tolerated=tolerated
    )
