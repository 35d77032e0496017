"""Slow-down against utilisation: a curve that never falls, through what compressions did to one application."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from stressbench.formats.profiles.profile import Level, Profile
from stressbench.interference.errors import CannotTell
from stressbench.interference.probing import Floats, Reading
from stressbench.interference.readings import RESAMPLES, busiest, levels_of, medians_of, slowdown_of

_NEIGHBOURS = 8
_SEED = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Curve:
    """Logarithms of slow-downs at utilisations, shape (points,), both rising from 0; straight between them."""

    utilisations: Floats
    log_slowdowns: Floats

    @property
    def top(self) -> float:
        """The heaviest load that was tried; beyond, the curve stays where it is."""
        return float(self.utilisations[-1])

    def log_at(self, utilisation: Floats) -> Floats:
        """Any shape."""
        logs: Floats = np.interp(utilisation, self.utilisations, self.log_slowdowns)
        return logs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """A curve, 400 that might have been, and how far compressions lie from the curve of the others.

    `residuals` (logarithms) at `residual_utilisations`, shape (n,) each, may be empty.
    """

    curve: Curve
    resampled: tuple[Curve, ...]
    residual_utilisations: Floats
    residuals: Floats

    def residuals_near(self, utilisation: float) -> Floats:
        """Of the compressions closest to it, at most 8."""
        order = np.argsort(np.abs(self.residual_utilisations - utilisation), kind="stable")
        return self.residuals[order[:_NEIGHBOURS]]


def monotone(utilisations: Floats, log_slowdowns: Floats) -> Curve:
    """Least squares among curves that never fall, begin at (0, 0) and stay there or above; shapes (n,), n >= 1.

    Isotonic regression; cutting it off at 0 afterwards gives what it gives under that bound.
    """
    from scipy.optimize import isotonic_regression  # a second, which others shall not wait

    places, which, counts = np.unique(utilisations, return_inverse=True, return_counts=True)
    means = np.bincount(which, weights=log_slowdowns) / counts
    rising = np.maximum(isotonic_regression(means, weights=counts).x, 0.0)
    if places[0] > 0:
        places, rising = np.insert(places, 0, 0.0), np.insert(rising, 0, 0.0)
    else:
        rising = np.where(places == 0, 0.0, rising)
    return Curve(utilisations=places, log_slowdowns=rising)


@lru_cache(maxsize=512)
def fit(profile: Profile, how: Reading) -> Fit:
    """Of one application. CannotTell where there are no compressions, or nobody can tell how busy they were.

    What might have been: compressions are drawn with replacement, and their run times, those alone, and their
    utilisations with them.
    """
    levels = [one for one in levels_of(profile, how) if one.utilisation.value is not None]
    if not levels:
        reasons = {str(one.utilisation.reason) for one in levels_of(profile, how)}
        raise CannotTell(f"{profile.application}: no compression's utilisation is known: {'; '.join(sorted(reasons))}")
    return _fit(
        profile, [one.level for one in levels],
        utilisations=np.array([one.utilisation.value for one in levels], dtype=np.float64),
        busy=np.stack([one.draws for one in levels]),
    )  # fmt: skip


@lru_cache(maxsize=512)
def fit_by_links(profile: Profile, used: tuple[str, ...]) -> Fit | None:
    """The same, where a compression's load is the share that it takes of the busiest of the links that are `used`.

    None where there are no compressions whose links were counted; counters do not err.
    """
    levels = [one for one in profile.levels if one.links is not None]
    if not levels or len(levels) < len(profile.levels):
        return None
    shares = np.array([busiest(used, one.links or {}) for one in levels])
    return _fit(profile, levels, utilisations=shares, busy=np.repeat(shares[:, np.newaxis], RESAMPLES, axis=1))


def _fit(profile: Profile, levels: Sequence[Level], *, utilisations: Floats, busy: Floats) -> Fit:
    """`utilisations` of the levels, shape (n,), and what they might have been, (n, 400)."""
    logs = np.log([slowdown_of(profile.alone_s, one.times_s).centre for one in levels])
    places, residuals = _left_out(utilisations, logs)
    return Fit(
        curve=monotone(utilisations, logs),
        resampled=_resampled(profile, levels, busy=busy),
        residual_utilisations=places,
        residuals=residuals,
    )


def _left_out(utilisations: Floats, logs: Floats) -> tuple[Floats, Floats]:
    """Of each compression but the heaviest, from the curve of all others."""
    inner = np.flatnonzero(utilisations < utilisations.max())
    residuals = [
        float(
            logs[one]
            - monotone(np.delete(utilisations, one), np.delete(logs, one)).log_at(utilisations[one : one + 1])[0]
        )
        for one in inner
    ]
    return utilisations[inner], np.array(residuals)


def _resampled(profile: Profile, levels: Sequence[Level], *, busy: Floats) -> tuple[Curve, ...]:
    random = np.random.default_rng(_SEED)
    alone = np.log(medians_of(profile.alone_s, random))
    beside = np.log(np.stack([medians_of(one.times_s, random) for one in levels])) - alone
    chosen = random.integers(len(levels), size=(RESAMPLES, len(levels)))
    return tuple(monotone(busy[some, draw], beside[some, draw]) for draw, some in enumerate(chosen))
