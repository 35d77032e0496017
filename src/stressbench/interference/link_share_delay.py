"""A predictor with two causes of slowdown: reduced link bandwidth, and delay of messages.

    slowdown = 1 + a s + b w

s is the share that aggressors take of the busiest link that the victim uses; w is the mean delay of a probe while
they run, in s. Long messages are slowed down by s, since they get the remaining bandwidth, and short ones by w. The
coefficients of a victim, a and b >= 0, are fitted to its congestion levels by least squares. Rings with short and with
long bursts take the same share of a link but delay probes differently, which separates a from b.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from stressbench.formats.profiles.profile import Latencies, Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.prediction import (
    CheckedPredictor,
    Composition,
    Prediction,
    share_taken_by_aggressors,
)
from stressbench.interference.profile_analysis import (
    RESAMPLES,
    bootstrap_medians,
    busiest_link_share,
    impact_latencies,
    links_used,
    require_link_shares,
    slowdown_interval,
)
from stressbench.interference.utilisation import Floats, bootstrap_waits
from stressbench.stats.intervals import CONFIDENCE

_LEAST_LEVELS = 2
_EXTRAPOLATION_TOLERANCE = 0.05
_SEED = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LevelLoads:
    """Link shares (0 to 1) and waits (s) of all congestion levels, shape (n,), and bootstrapped waits, (n, 400)."""

    shares: Floats
    waits_s: Floats
    draws_s: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fit:
    """Coefficients a and b, shape (2,), and their bootstrap distribution, (400, 2); cross-validation residuals
    (logarithms, can be empty); the largest share and wait of all levels.
    """

    coefficients: Floats
    draws: Floats
    residuals: Floats
    most_share: float
    most_wait_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkShareDelay(CheckedPredictor):
    """Combines the shares of several aggressors by `composition` and adds up their waits.

    All profiles need link counters. The interval covers the uncertainty of congestion levels, times and probes.
    """

    composition: Composition = Composition.left_over
    name: str = "SharesAndWaits"

    def _predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        fit = _fit(victim)
        share = share_taken_by_aggressors(victim, aggressors, self.composition)
        waits = [_wait(one.idle, impact_latencies(one), seed=number) for number, one in enumerate(aggressors)]
        wait_s, draws_s = sum(wait for wait, _ in waits), np.sum([draws for _, draws in waits], axis=0)
        slowdown = 1 + float(fit.coefficients @ [share, wait_s])
        log_slowdowns = np.log1p(fit.draws[:, 0] * share + fit.draws[:, 1] * draws_s)
        if len(fit.residuals):
            log_slowdowns = log_slowdowns + np.random.default_rng(_SEED).choice(fit.residuals, len(log_slowdowns))
        bounds = np.exp(np.quantile(log_slowdowns, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)))
        low, high = min(slowdown, float(bounds[0])), max(slowdown, float(bounds[1]))
        reason = _extrapolation_reason(fit, share, wait_s)
        return Prediction(slowdown=slowdown, low=low, high=high if reason is None else None, reason=reason)


def _extrapolation_reason(fit: _Fit, share: float, wait_s: float) -> str | None:
    if share > (1 + _EXTRAPOLATION_TOLERANCE) * fit.most_share:
        return f"a link's share of {share:.0%} is beyond that of the heaviest congestion level, {fit.most_share:.0%}"
    if wait_s > (1 + _EXTRAPOLATION_TOLERANCE) * fit.most_wait_s:
        return f"a wait of {wait_s:.3g} s is beyond that of the heaviest congestion level, {fit.most_wait_s:.3g} s"
    return None


@lru_cache(maxsize=512)
def _fit(victim: Profile) -> _Fit:
    require_link_shares([victim])
    if len(victim.levels) < _LEAST_LEVELS:
        raise Inconclusive(
            f"{victim.application} was measured at {len(victim.levels)} congestion levels: at least two are needed"
        )
    if any(one.links is None for one in victim.levels):
        raise Inconclusive(f"the congestion levels of {victim.application} have no link counters")
    loads = _level_loads(victim)
    excess_slowdowns = np.array([slowdown_interval(victim.alone_s, one.times_s).centre for one in victim.levels]) - 1
    return _Fit(
        coefficients=_fit_coefficients(loads.shares, loads.waits_s, excess_slowdowns),
        draws=_bootstrap_coefficients(victim, loads),
        residuals=_cross_validation_residuals(loads, excess_slowdowns),
        most_share=float(loads.shares.max()),
        most_wait_s=float(loads.waits_s.max()),
    )


def _level_loads(victim: Profile) -> _LevelLoads:
    used = links_used(victim)
    waits, draws = zip(
        *(_wait(victim.idle, one.probes.array, seed=number) for number, one in enumerate(victim.levels)), strict=True
    )
    shares = [busiest_link_share(used, one.links or {}) for one in victim.levels]
    return _LevelLoads(shares=np.array(shares), waits_s=np.array(waits), draws_s=np.stack(draws))


def _wait(idle: Latencies, loaded_s: Floats, *, seed: int) -> tuple[float, Floats]:
    """The mean wait, s, and its bootstrap distribution, shape (400,)."""
    wait_s = max(0.0, float(loaded_s.mean() - idle.array.mean()))
    return wait_s, bootstrap_waits(idle.array, loaded_s, resamples=RESAMPLES, seed=_SEED + seed)


def _fit_coefficients(shares: Floats, waits_s: Floats, excess_slowdowns: Floats) -> Floats:
    """Coefficients a and b, shape (2,), fitted to n levels. Errors are weighted relative to the run time."""
    from scipy.optimize import nnls  # takes a second to import

    design = np.stack([shares, waits_s], axis=1)
    scale = np.where(design.max(axis=0) > 0, design.max(axis=0), 1.0)
    slowdowns = 1 + excess_slowdowns
    scaled_coefficients, _ = nnls(design / scale / slowdowns[:, np.newaxis], excess_slowdowns / slowdowns)
    coefficients: Floats = scaled_coefficients / scale
    return coefficients


def _bootstrap_coefficients(victim: Profile, loads: _LevelLoads) -> Floats:
    random = np.random.default_rng(_SEED)
    isolated = bootstrap_medians(victim.alone_s, random)
    beside = np.stack([bootstrap_medians(one.times_s, random) for one in victim.levels])
    excess_slowdowns = beside / isolated - 1
    return np.stack(
        [
            _fit_coefficients(loads.shares, loads.draws_s[:, draw], excess_slowdowns[:, draw])
            for draw in range(RESAMPLES)
        ]
    )


def _cross_validation_residuals(loads: _LevelLoads, excess_slowdowns: Floats) -> Floats:
    """The residual of each level from a fit to the others; empty for too few levels."""
    if len(excess_slowdowns) <= _LEAST_LEVELS:
        return np.empty(0)
    residuals = []
    for level in range(len(excess_slowdowns)):
        coefficients = _fit_coefficients(
            *(np.delete(values, level) for values in (loads.shares, loads.waits_s, excess_slowdowns))
        )
        predicted = 1 + float(coefficients @ [loads.shares[level], loads.waits_s[level]])
        residuals.append(float(np.log1p(excess_slowdowns[level]) - np.log(predicted)))
    return np.array(residuals)
