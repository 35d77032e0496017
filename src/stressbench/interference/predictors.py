"""Predictors based on utilisation: Queue (Casas and Bronevetsky, IV-B and V-B), Monotone, PhaseAware and PerLink."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from math import prod

import numpy as np

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.prediction import (
    CheckedPredictor,
    Composition,
    Prediction,
    combined_utilisation,
    share_taken_by_aggressors,
)
from stressbench.interference.profile_analysis import (
    RESAMPLES,
    estimator_for,
    impact_latencies,
    impact_phases,
    impact_utilisation,
    level_estimates,
    links_used,
    packet_service,
)
from stressbench.interference.slowdown_curve import CurveFit, fit_curve, fit_curve_by_link_share
from stressbench.interference.utilisation import PAPER_ESTIMATOR, Floats, point_estimate
from stressbench.stats.intervals import CONFIDENCE

_EXTRAPOLATION_TOLERANCE = 0.02
_MOST_COMBINATIONS = 10_000
_SEED = 3


class QueueMapping(StrEnum):
    """How Queue maps utilisation to slowdown; the paper mentions a mapping and draws a straight line.

    closest: the level with the closest utilisation. interpolated: linear between neighbouring levels. line: the least
    squares line through all levels.
    """

    closest = "closest"
    interpolated = "interpolated"
    line = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue(CheckedPredictor):
    """Predicts the slowdown at the utilisation that the aggressor causes.

    Uses the paper's service time (the minimum idle latency). The slowdown is constant beyond the lightest and the
    heaviest level. The interval is interpolated between those of the levels (a line has none). Utilisations of several
    aggressors are combined, which the paper leaves open. As there, every utilisation has a value: the conditions of
    `estimate_utilisation` do not apply.
    """

    mapping: QueueMapping = QueueMapping.interpolated
    composition: Composition = Composition.added
    name: str = "Queue"

    def _predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        levels = sorted(
            (_utilisation_as_published(victim, one.level.probes.array), number, one.slowdown)
            for number, one in enumerate(level_estimates(victim, PAPER_ESTIMATOR))
        )
        utilisations = np.array([value for value, _, _ in levels])
        loads = [np.array(_utilisation_as_published(one, impact_latencies(one))) for one in aggressors]
        target = float(combined_utilisation(loads, self.composition))
        bounds = [[getattr(slowdown, part) for _, _, slowdown in levels] for part in ("centre", "low", "high")]
        slowdown, low, high = (self._slowdown_at(target, utilisations, values) for values in bounds)
        reason = None if low is not None else "too few runs at the congestion levels for an interval"
        return Prediction(slowdown=slowdown, low=low, high=high, reason=reason)

    def _slowdown_at(self, target: float, utilisations: Floats, values: Sequence[float | None]) -> float | None:
        known = np.array([np.nan if value is None else value for value in values])
        if self.mapping is QueueMapping.closest:
            slowdown = known[np.argmin(np.abs(utilisations - target))]
        elif self.mapping is QueueMapping.interpolated or len(np.unique(utilisations)) < 2:
            distinct, inverse, counts = np.unique(utilisations, return_inverse=True, return_counts=True)
            slowdown = np.interp(target, distinct, np.bincount(inverse, weights=known) / counts)
        elif values == [value for value in values if value is not None]:
            slope, level = np.polyfit(utilisations, known, 1)
            slowdown = level + slope * target
        else:
            return None
        return None if np.isnan(slowdown) else float(slowdown)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Load:
    """The utilisation by the aggressors during a share of the time, with 400 bootstrap draws of it."""

    share: float
    utilisation: float
    draws: Floats


class _CurvePredictor(CheckedPredictor):
    """Evaluates the victim's monotone slowdown curve at the loads of the aggressors.

    In a time T with shares p and slowdowns s the victim does the work of T * sum(p / s), so its slowdown is the
    harmonic mean. The 95 % interval covers the uncertainty of curve and utilisations, and the scatter of congestion
    levels around the curve. Loads beyond the end of the curve have no upper bound.
    """

    def _predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        loads = self._loads([victim, *aggressors])
        return _predict_from_curve(self._fit(victim), loads)

    def _fit(self, victim: Profile) -> CurveFit:
        return fit_curve(victim, estimator_for(victim))

    @abstractmethod
    def _loads(self, profiles: Sequence[Profile]) -> Sequence[Load]:
        """The loads of the aggressors, with shares that sum up to 1. `profiles`: the victim, then the aggressors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Monotone(_CurvePredictor):
    """Predicts by isotonic regression at the mean utilisation of the aggressors."""

    composition: Composition = Composition.left_over
    name: str = "Monotone"

    def _loads(self, profiles: Sequence[Profile]) -> Sequence[Load]:
        utilisations = [impact_utilisation(aggressor, estimator_for(aggressor)) for aggressor in profiles[1:]]
        value = float(
            combined_utilisation([np.array(utilisation) for utilisation, _ in utilisations], self.composition)
        )
        return [
            Load(
                share=1.0,
                utilisation=value,
                draws=combined_utilisation([draws for _, draws in utilisations], self.composition),
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseAware(_CurvePredictor):
    """Predicts by isotonic regression at the utilisation of each phase of the aggressors, weighted by its duration.

    Phases of several aggressors, or of two copies of one, are assumed to coincide independently.
    """

    composition: Composition = Composition.left_over
    name: str = "PhaseAware"

    def _loads(self, profiles: Sequence[Profile]) -> Sequence[Load]:
        phases_by_aggressor = [impact_phases(aggressor, estimator_for(aggressor)) for aggressor in profiles[1:]]
        count = prod(len(phases) for phases in phases_by_aggressor)
        if count > _MOST_COMBINATIONS:
            raise Inconclusive(f"{count} combinations of phases: at most {_MOST_COMBINATIONS}")
        return [
            Load(
                share=prod(phase.share for phase in combination),
                utilisation=float(
                    combined_utilisation([np.array(phase.utilisation) for phase in combination], self.composition)
                ),
                draws=combined_utilisation([phase.draws for phase in combination], self.composition),
            )
            for combination in product(*phases_by_aggressor)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerLink(_CurvePredictor):
    """Predicts by isotonic regression at the busiest of the links that the victim uses; needs link counters.

    The curve is a function of the share of that link that congestion levels take or, if they have no counters, of the
    utilisation from probes, which is exact only if both agree.
    """

    composition: Composition = Composition.left_over
    name: str = "PerLink"

    def _fit(self, victim: Profile) -> CurveFit:
        return fit_curve_by_link_share(victim, links_used(victim)) or fit_curve(victim, estimator_for(victim))

    def _loads(self, profiles: Sequence[Profile]) -> Sequence[Load]:
        share = share_taken_by_aggressors(profiles[0], profiles[1:], self.composition)
        return [Load(share=1.0, utilisation=share, draws=np.full(RESAMPLES, share))]


def _utilisation_as_published(profile: Profile, loaded_s: Floats) -> float:
    return point_estimate(profile.idle.array, loaded_s, estimator=PAPER_ESTIMATOR, packets=packet_service(profile))


def _predict_from_curve(fit: CurveFit, loads: Sequence[Load]) -> Prediction:
    shares = np.array([load.share for load in loads])
    slowdown = float(1 / np.sum(shares * np.exp(-fit.curve.log_at(np.array([load.utilisation for load in loads])))))
    draws = np.stack([load.draws for load in loads])
    log_slowdowns = np.array(
        [
            -np.log(np.sum(shares * np.exp(-curve.log_at(draws[:, number]))))
            for number, curve in enumerate(fit.resampled)
        ]
    )
    residuals = fit.residuals_near(float(np.sum(shares * [load.utilisation for load in loads])))
    if len(residuals):
        log_slowdowns = log_slowdowns + np.random.default_rng(_SEED).choice(residuals, len(log_slowdowns))
    bounds = np.exp(np.quantile(log_slowdowns, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)))
    low, high = min(slowdown, float(bounds[0])), max(slowdown, float(bounds[1]))
    heaviest = max(load.utilisation for load in loads)
    if heaviest > fit.curve.top + _EXTRAPOLATION_TOLERANCE:
        reason = f"a load of {heaviest:.0%} is beyond the heaviest congestion level, {fit.curve.top:.0%}"
        return Prediction(slowdown=slowdown, low=low, high=None, reason=reason)
    return Prediction(slowdown=slowdown, low=low, high=high, reason=None)
