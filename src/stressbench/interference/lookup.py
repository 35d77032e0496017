"""The paper's look-up tables (Casas and Bronevetsky, IV-A): which compression looks most like the aggressor to probes?

Its slow-down of the victim is the prediction. (The paper writes in IV-A.1 that the slow-down of B, the aggressor, is
taken; V-A and sense say A.)
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import CannotTell
from stressbench.interference.prediction import NOT_SLOWED, Prediction, no_prediction
from stressbench.interference.probing import PAPER, Floats
from stressbench.interference.readings import comparable, impact_latencies, levels_of

_EQUAL = 1e-9


class _LookUpTable(ABC):
    """The interval is that of the chosen compression's slow-down; that the choice may be wrong is not in it."""

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """For one aggressor; the paper has no table for more."""
        try:
            return self._predict(victim, aggressors)
        except CannotTell as reason:
            return no_prediction(reason)

    def _predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        if not aggressors:
            return NOT_SLOWED
        if len(aggressors) > 1:
            raise CannotTell(f"a look-up table knows one aggressor, not {len(aggressors)}")
        comparable([victim, *aggressors])
        levels = levels_of(victim, PAPER)
        chosen = levels[self._choose(impact_latencies(aggressors[0]), [one.level.probes.array for one in levels])]
        found = chosen.slowdown
        reason = None if found.low is not None else "too few runs of the compression for an interval"
        return Prediction(slowdown=found.centre, low=found.low, high=found.high, reason=reason)

    @abstractmethod
    def _choose(self, aggressor: Floats, levels: Sequence[Floats]) -> int:
        """Which of `levels`, latencies in s by rising mean, looks like `aggressor`."""


class AverageLT(_LookUpTable):
    """The closest mean latency; of two as close, the lower one."""

    name = "AverageLT"

    def _choose(self, aggressor: Floats, levels: Sequence[Floats]) -> int:
        return int(np.argmin(_distances(aggressor, levels)))


class AverageStDevLT(_LookUpTable):
    """The longest overlap of the intervals from mean - deviation to mean + deviation; of equal ones, the closer mean.

    (Equal overlaps are the rule where one interval lies within several others; the paper does not say which then.)
    """

    name = "AverageStDevLT"

    def _choose(self, aggressor: Floats, levels: Sequence[Floats]) -> int:
        low, high = _interval(aggressor)
        overlaps = np.array([min(high, upper) - max(low, lower) for lower, upper in map(_interval, levels)])
        longest = float(overlaps.max())
        if longest <= 0:
            raise CannotTell("no compression has mean latency +- deviation in common with the aggressor")
        distances = np.where(overlaps >= longest * (1 - _EQUAL), _distances(aggressor, levels), np.inf)
        return int(np.argmin(distances))


class PDFLT(_LookUpTable):
    """The largest integral of the product of both densities of latencies; of equal ones, the closer mean.

    Densities are histograms with equal bins, as wide as Freedman and Diaconis advise for the aggressor's latencies:
    twice their quartiles' distance over the cube root of their number. (The paper names no bins. Its bound of 1 on the
    integral holds for shares, not for densities; the choice is the same.)
    """

    name = "PDFLT"

    def _choose(self, aggressor: Floats, levels: Sequence[Floats]) -> int:
        width = _bin_width(aggressor)
        here = _histogram(aggressor, width)
        integrals = np.array([_product(here, _histogram(level, width)) for level in levels])
        if integrals.max() <= 0:
            raise CannotTell("no compression has a latency in common with the aggressor")
        distances = np.where(integrals >= integrals.max() * (1 - _EQUAL), _distances(aggressor, levels), np.inf)
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
    """Share of latencies by bin, whose number may be beyond any integer's."""
    bins, counts = np.unique(np.floor(latencies / width), return_counts=True)
    return dict(zip(bins.tolist(), (counts / len(latencies)).tolist(), strict=True))


def _product(one: dict[float, float], other: dict[float, float]) -> float:
    """The integral times the bins' width, which is the same for all."""
    return sum(share * other.get(number, 0.0) for number, share in one.items())
