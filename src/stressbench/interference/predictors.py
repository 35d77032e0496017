"""Predictors over utilisation: Queue (Casas and Bronevetsky, IV-B and V-B) and ours. Look-up tables: `lookup`."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from math import prod

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.curves import Fit, fit, fit_by_links
from stressbench.interference.errors import CannotTell
from stressbench.interference.prediction import (
    NOT_SLOWED,
    Composition,
    Prediction,
    busiest_share,
    composed,
    no_prediction,
)
from stressbench.interference.probing import PAPER, Floats
from stressbench.interference.readings import (
    RESAMPLES,
    comparable,
    impact_of,
    impact_phases,
    levels_of,
    links_used,
    reading_of,
)
from stressbench.stats.intervals import CONFIDENCE

_BEYOND = 0.02
_MOST_COMBINATIONS = 10_000
_SEED = 3


class QueueMapping(StrEnum):
    """What lies between the compressions of Queue; the paper says that a mapping is there, and draws a straight line.

    closest: the compression of the closest utilisation. interpolated: straight from each to the next. line: the least
    squares line through all.
    """

    closest = "closest"
    interpolated = "interpolated"
    line = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """The slow-down of the victim beside a compression that keeps the switch as busy as the aggressor does.

    With the service of the paper (the least idle latency). Beyond the lightest and the heaviest compression it stays
    what it is there. The interval interpolates those of the compressions (a line has none).
    """

    mapping: QueueMapping = QueueMapping.interpolated
    composition: Composition = Composition.added
    name: str = "Queue"

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """Of one aggressor as in the paper; utilisations of several are composed, which the paper leaves open."""
        try:
            return self._predict(victim, aggressors)
        except CannotTell as reason:
            return no_prediction(reason)

    def _predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        if not aggressors:
            return NOT_SLOWED
        comparable([victim, *aggressors])
        levels = sorted(
            (one.utilisation.value, number, one.slowdown)
            for number, one in enumerate(levels_of(victim, PAPER))
            if one.utilisation.value is not None
        )
        if not levels:
            raise CannotTell(f"{victim.application}: no compression's utilisation is known")
        utilisations = np.array([value for value, _, _ in levels])
        wanted = float(composed([np.array(impact_of(one, PAPER)[0]) for one in aggressors], self.composition))
        bounds = [[getattr(slowdown, part) for _, _, slowdown in levels] for part in ("centre", "low", "high")]
        slowdown, low, high = (self._at(wanted, utilisations, values) for values in bounds)
        reason = None if low is not None else "too few runs of the compressions for an interval"
        return Prediction(slowdown=slowdown, low=low, high=high, reason=reason)

    def _at(self, wanted: float, utilisations: Floats, values: Sequence[float | None]) -> float | None:
        known = np.array([np.nan if value is None else value for value in values])
        if self.mapping is QueueMapping.closest:
            found = known[np.argmin(np.abs(utilisations - wanted))]
        elif self.mapping is QueueMapping.interpolated or len(np.unique(utilisations)) < 2:
            places, which, counts = np.unique(utilisations, return_inverse=True, return_counts=True)
            found = np.interp(wanted, places, np.bincount(which, weights=known) / counts)
        elif values == [value for value in values if value is not None]:
            slope, level = np.polyfit(utilisations, known, 1)
            found = level + slope * wanted
        else:
            return None
        return None if np.isnan(found) else float(found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Load:
    """A part of the time, what the aggressors make of the switch in it, and what that might have been (400 draws)."""

    share: float
    utilisation: float
    draws: Floats


class _OverCurve(ABC):
    """The victim's monotone curve at loads of the aggressors.

    In a time T with shares p and slow-downs s the victim does the work of T * sum(p / s), so its slow-down is the
    harmonic mean. The interval holds 95 % of what might have been: curves, utilisations, and how far single loads lie
    from the curve. A curve that ends below a load gives no upper bound.
    """

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """Of any number of aggressors."""
        if not aggressors:
            return NOT_SLOWED
        try:
            comparable([victim, *aggressors])
            loads = self._loads([victim, *aggressors])
            return _over_curve(self._fit(victim), loads)
        except CannotTell as reason:
            return no_prediction(reason)

    def _fit(self, victim: Profile) -> Fit:
        return fit(victim, reading_of(victim))

    @abstractmethod
    def _loads(self, together: Sequence[Profile]) -> Sequence[Load]:
        """Of the aggressors; the victim comes first of those `together`. Shares sum up to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Monotone(_OverCurve):
    """Isotonic regression at the mean utilisation of the aggressors."""

    composition: Composition = Composition.left_over
    name: str = "Monotone"

    def _loads(self, together: Sequence[Profile]) -> Sequence[Load]:
        found = [impact_of(one, reading_of(one)) for one in together[1:]]
        value = float(composed([np.array(utilisation) for utilisation, _ in found], self.composition))
        return [Load(share=1.0, utilisation=value, draws=composed([draws for _, draws in found], self.composition))]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseAware(_OverCurve):
    """Isotonic regression at the utilisation of each phase of the aggressors, for as long as it lasts.

    Phases of several aggressors, or of two of a kind, are taken to fall together by chance.
    """

    composition: Composition = Composition.left_over
    name: str = "PhaseAware"

    def _loads(self, together: Sequence[Profile]) -> Sequence[Load]:
        each = [impact_phases(one, reading_of(one)) for one in together[1:]]
        count = prod(len(phases) for phases in each)
        if count > _MOST_COMBINATIONS:
            raise CannotTell(f"{count} combinations of phases: at most {_MOST_COMBINATIONS}")
        return [
            Load(
                share=prod(phase.share for phase in together),
                utilisation=float(composed([np.array(phase.utilisation) for phase in together], self.composition)),
                draws=composed([phase.draws for phase in together], self.composition),
            )
            for together in product(*each)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerLink(_OverCurve):
    """Isotonic regression at the busiest of the links that the victim uses, where profiles know links.

    The curve, too, is over the share of that link that compressions took, where somebody counted; else over what probes
    say of them, and right as far as both mean the same.
    """

    composition: Composition = Composition.left_over
    name: str = "PerLink"

    def _fit(self, victim: Profile) -> Fit:
        return fit_by_links(victim, links_used(victim)) or fit(victim, reading_of(victim))

    def _loads(self, together: Sequence[Profile]) -> Sequence[Load]:
        share = busiest_share(together[0], together[1:], self.composition)
        return [Load(share=1.0, utilisation=share, draws=np.full(RESAMPLES, share))]


def _over_curve(found: Fit, loads: Sequence[Load]) -> Prediction:
    shares = np.array([load.share for load in loads])
    slowdown = float(1 / np.sum(shares * np.exp(-found.curve.log_at(np.array([load.utilisation for load in loads])))))
    draws = np.stack([load.draws for load in loads])
    spread = np.array(
        [
            -np.log(np.sum(shares * np.exp(-curve.log_at(draws[:, number]))))
            for number, curve in enumerate(found.resampled)
        ]
    )
    near = found.residuals_near(float(np.sum(shares * [load.utilisation for load in loads])))
    if len(near):
        spread = spread + np.random.default_rng(_SEED).choice(near, len(spread))
    bounds = np.exp(np.quantile(spread, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)))
    low, high = min(slowdown, float(bounds[0])), max(slowdown, float(bounds[1]))
    heaviest = max(load.utilisation for load in loads)
    if heaviest > found.curve.top + _BEYOND:
        reason = f"a load of {heaviest:.0%} is beyond the heaviest compression, {found.curve.top:.0%}"
        return Prediction(slowdown=slowdown, low=low, high=None, reason=reason)
    return Prediction(slowdown=slowdown, low=low, high=high, reason=None)
