"""The paper's look-up tables (Casas and Bronevetsky, IV-A).

They select the congestion level with the probe latencies most similar to those under the aggressor, and predict the
victim's slowdown at that level, as V-A describes it. (IV-A.1 takes the slowdown of the aggressor instead.)
"""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.prediction import CheckedPredictor, Prediction
from stressbench.interference.profile_analysis import impact_latencies, level_estimates
from stressbench.interference.utilisation import PAPER_ESTIMATOR, Floats

_TIE_TOLERANCE = 1e-9


class _LookUpTable(CheckedPredictor):
    """Predicts the slowdown and interval of the selected level; the interval does not cover a wrong selection.

    Accepts one aggressor only, since the paper defines no table for several.
    """

    def _predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        if len(aggressors) > 1:
            raise Inconclusive(f"a look-up table predicts for one aggressor, not for {len(aggressors)}")
        levels = level_estimates(victim, PAPER_ESTIMATOR)
        chosen = levels[self._choose(impact_latencies(aggressors[0]), [one.level.probes.array for one in levels])]
        slowdown = chosen.slowdown
        reason = None if slowdown.low is not None else "too few runs at the congestion level for an interval"
        return Prediction(slowdown=slowdown.centre, low=slowdown.low, high=slowdown.high, reason=reason)

    @abstractmethod
    def _choose(self, aggressor: Floats, levels: Sequence[Floats]) -> int:
        """The index of the level, among latencies (s) ordered by their mean, that is most similar to `aggressor`."""


class AverageLT(_LookUpTable):
    """Selects the level with the closest mean latency; the lower one of two that are equally close."""

    name = "AverageLT"

    def _choose(self, aggressor: Floats, levels: Sequence[Floats]) -> int:
        return int(np.argmin(_distances(aggressor, levels)))


class AverageStDevLT(_LookUpTable):
    """Selects the level with the largest overlap of its interval mean +- standard deviation with the aggressor's.

    Of equal overlaps, which are common where one interval contains another, the level with the closer mean is taken;
    the paper leaves this open.
    """

    name = "AverageStDevLT"

    def _choose(self, aggressor: Floats, levels: Sequence[Floats]) -> int:
        low, high = _interval(aggressor)
        overlaps = np.array([min(high, upper) - max(low, lower) for lower, upper in map(_interval, levels)])
        longest = float(overlaps.max())
        if longest <= 0:
            raise Inconclusive("no congestion level has mean latency +- deviation in common with the aggressor")
        distances = np.where(overlaps >= longest * (1 - _TIE_TOLERANCE), _distances(aggressor, levels), np.inf)
        return int(np.argmin(distances))


class PDFLT(_LookUpTable):
    """Selects the level with the largest integral of the product of both latency densities; on ties the closer mean.

    Densities are histograms whose bin width follows Freedman and Diaconis for the aggressor's latencies: twice the
    interquartile range over the cube root of their number. (The paper specifies no bins. Its bound of 1 on the integral
    holds for shares, not for densities; the selection is the same.)
    """

    name = "PDFLT"

    def _choose(self, aggressor: Floats, levels: Sequence[Floats]) -> int:
        width = _bin_width(aggressor)
        aggressor_histogram = _histogram(aggressor, width)
        integrals = np.array([_product(aggressor_histogram, _histogram(level, width)) for level in levels])
        if integrals.max() <= 0:
            raise Inconclusive("no congestion level has latencies in common with the aggressor")
        distances = np.where(integrals >= integrals.max() * (1 - _TIE_TOLERANCE), _distances(aggressor, levels), np.inf)
        return int(np.argmin(distances))


def _distances(aggressor: Floats, levels: Sequence[Floats]) -> Floats:
    return np.array([abs(level.mean() - aggressor.mean()) for level in levels])


def _interval(latencies: Floats) -> tuple[float, float]:
    mean, deviation = float(latencies.mean()), float(latencies.std(ddof=1)) if len(latencies) > 1 else 0.0
    return mean - deviation, mean + deviation


def _bin_width(latencies: Floats) -> float:
    quartiles = np.quantile(latencies, (0.25, 0.75))
    width = 2 * float(quartiles[1] - quartiles[0]) / len(latencies) ** (1 / 3)
    return width if width > 0 else float(latencies.mean()) / 100


def _histogram(latencies: Floats, width: float) -> dict[float, float]:
    """Share of latencies by bin. Bin numbers are floats, since they can exceed the range of integers."""
    bins, counts = np.unique(np.floor(latencies / width), return_counts=True)
    return dict(zip(bins.tolist(), (counts / len(latencies)).tolist(), strict=True))


def _product(one: dict[float, float], other: dict[float, float]) -> float:
    """The integral times the bin width, which is the same for all levels."""
    return sum(share * other.get(number, 0.0) for number, share in one.items())
