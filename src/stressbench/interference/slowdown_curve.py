"""The slowdown of an application as a function of utilisation: a monotone curve fitted to its congestion levels."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from stressbench.formats.profiles.profile import Level, Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.profile_analysis import (
    RESAMPLES,
    bootstrap_medians,
    busiest_link_share,
    level_estimates,
    slowdown_interval,
)
from stressbench.interference.utilisation import Estimator, Floats

_NEIGHBOURS = 8
_SEED = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlowdownCurve:
    """Logarithms of slowdowns at utilisations, shape (points,), both rising from 0; linear in between."""

    utilisations: Floats
    log_slowdowns: Floats

    @property
    def top(self) -> float:
        """The highest utilisation that was measured; the curve is constant beyond it."""
        return float(self.utilisations[-1])

    def log_at(self, utilisation: Floats) -> Floats:
        """Logarithms of slowdowns at these utilisations, in the same shape."""
        logs: Floats = np.interp(utilisation, self.utilisations, self.log_slowdowns)
        return logs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CurveFit:
    """A curve, 400 bootstrap replicates of it, and the cross-validation residuals of congestion levels.

    `residuals` (logarithms) at `residual_utilisations`, both of shape (n,), can be empty.
    """

    curve: SlowdownCurve
    resampled: tuple[SlowdownCurve, ...]
    residual_utilisations: Floats
    residuals: Floats

    def residuals_near(self, utilisation: float) -> Floats:
        """Residuals of the levels closest to `utilisation`, at most 8."""
        order = np.argsort(np.abs(self.residual_utilisations - utilisation), kind="stable")
        return self.residuals[order[:_NEIGHBOURS]]


def monotone_curve(utilisations: Floats, log_slowdowns: Floats) -> SlowdownCurve:
    """Least-squares fit among non-decreasing curves that begin at (0, 0); arguments of shape (n,), n >= 1.

    Isotonic regression; clipping its result at 0 gives the least-squares solution under the constraint of being >= 0.
    """
    from scipy.optimize import isotonic_regression  # takes a second to import

    points, inverse, counts = np.unique(utilisations, return_inverse=True, return_counts=True)
    means = np.bincount(inverse, weights=log_slowdowns) / counts
    fitted = np.maximum(isotonic_regression(means, weights=counts).x, 0.0)
    if points[0] > 0:
        points, fitted = np.insert(points, 0, 0.0), np.insert(fitted, 0, 0.0)
    else:
        fitted = np.where(points == 0, 0.0, fitted)
    return SlowdownCurve(utilisations=points, log_slowdowns=fitted)


@lru_cache(maxsize=512)
def fit_curve(profile: Profile, estimator: Estimator) -> CurveFit:
    """The slowdown curve of an application, from the utilisation of each congestion level.

    Bootstrap replicates resample levels, their run times, isolated times and utilisations. Raises Inconclusive if the
    profile has no congestion level with a known utilisation.
    """
    levels = [one for one in level_estimates(profile, estimator) if one.utilisation.value is not None]
    if not levels:
        reasons = {str(one.utilisation.reason) for one in level_estimates(profile, estimator)}
        raise Inconclusive(
            f"{profile.application}: the utilisation of every congestion level is unknown: {'; '.join(sorted(reasons))}"
        )
    return _fit(
        profile, [one.level for one in levels],
        utilisations=np.array([one.utilisation.value for one in levels], dtype=np.float64),
        utilisation_draws=np.stack([one.draws for one in levels]),
    )  # fmt: skip


@lru_cache(maxsize=512)
def fit_curve_by_link_share(profile: Profile, used: tuple[str, ...]) -> CurveFit | None:
    """The slowdown as a function of the share that each level takes of the busiest among the links `used`.

    Shares come from link counters and count as exact. None if a level has no link counters.
    """
    levels = [one for one in profile.levels if one.links is not None]
    if not levels or len(levels) < len(profile.levels):
        return None
    shares = np.array([busiest_link_share(used, one.links or {}) for one in levels])
    return _fit(
        profile, levels, utilisations=shares, utilisation_draws=np.repeat(shares[:, np.newaxis], RESAMPLES, axis=1)
    )


def _fit(profile: Profile, levels: Sequence[Level], *, utilisations: Floats, utilisation_draws: Floats) -> CurveFit:
    """Fit to the `utilisations` of the levels, shape (n,), with distributions `utilisation_draws`, shape (n, 400)."""
    logs = np.log([slowdown_interval(profile.alone_s, one.times_s).centre for one in levels])
    residual_utilisations, residuals = _cross_validation_residuals(utilisations, logs)
    return CurveFit(
        curve=monotone_curve(utilisations, logs),
        resampled=_bootstrap_curves(profile, levels, utilisation_draws=utilisation_draws),
        residual_utilisations=residual_utilisations,
        residuals=residuals,
    )


def _cross_validation_residuals(utilisations: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Residual of each level but the heaviest from the curve of all others: utilisations and residuals."""
    inner = np.flatnonzero(utilisations < utilisations.max())
    residuals = [
        float(
            logs[one]
            - monotone_curve(np.delete(utilisations, one), np.delete(logs, one)).log_at(utilisations[one : one + 1])[0]
        )
        for one in inner
    ]
    return utilisations[inner], np.array(residuals)


def _bootstrap_curves(
    profile: Profile, levels: Sequence[Level], *, utilisation_draws: Floats
) -> tuple[SlowdownCurve, ...]:
    random = np.random.default_rng(_SEED)
    isolated = np.log(bootstrap_medians(profile.alone_s, random))
    beside = np.log(np.stack([bootstrap_medians(one.times_s, random) for one in levels])) - isolated
    chosen = random.integers(len(levels), size=(RESAMPLES, len(levels)))
    return tuple(
        monotone_curve(utilisation_draws[selected, draw], beside[selected, draw])
        for draw, selected in enumerate(chosen)
    )
