"""A predictor of ours with two causes of a slow-down: links that others use, and messages that wait for theirs.

    slow-down = 1 + a s + b w

s is the share of the busiest of the victim's links that others take, w how long a probe waits beside them, in s. Long
messages lose by s, since they get what is left of a link; short ones by w, each as often as somebody waits for it. How
much a victim loses by each, a and b, compressions tell: least squares with a, b >= 0. Rings of short and of long
bursts take as much of a link and make probes wait differently, so that both together tell a and b apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from stressbench.formats.profiles.profile import Latencies, Profile
from stressbench.interference.errors import CannotTell
from stressbench.interference.prediction import NOT_SLOWED, Composition, Prediction, busiest_share, no_prediction
from stressbench.interference.probing import Floats, wait_draws
from stressbench.interference.readings import (
    RESAMPLES,
    busiest,
    comparable,
    impact_latencies,
    links_of,
    links_used,
    medians_of,
    slowdown_of,
)
from stressbench.stats.intervals import CONFIDENCE

_LEAST_LEVELS = 2
_BEYOND = 0.05
_SEED = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Causes:
    """Of each compression, shape (n,): shares (0 to 1), waits (s), and draws of those, (n, 400)."""

    shares: Floats
    waits_s: Floats
    draws_s: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fit:
    """a and b, shape (2,), 400 that might have been, (400, 2), how far compressions lie from the others' fit
    (logarithms, may be empty), and the heaviest of them.
    """

    losses: Floats
    draws: Floats
    residuals: Floats
    most_share: float
    most_wait_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SharesAndWaits:
    """Of any number of aggressors: shares are `composed`, waits add up. It takes links that were counted everywhere."""

    composition: Composition = Composition.left_over
    name: str = "SharesAndWaits"

    def predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        """With what compressions, times and probes might have been in the interval."""
        if not aggressors:
            return NOT_SLOWED
        try:
            comparable([victim, *aggressors])
            return self._predict(_fit(victim), victim, aggressors)
        except CannotTell as reason:
            return no_prediction(reason)

    def _predict(self, fit: _Fit, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        share = busiest_share(victim, aggressors, self.composition)
        waits = [_wait(one.idle, impact_latencies(one), seed=number) for number, one in enumerate(aggressors)]
        wait_s, draws_s = sum(wait for wait, _ in waits), np.sum([draws for _, draws in waits], axis=0)
        slowdown = 1 + float(fit.losses @ [share, wait_s])
        spread = np.log1p(fit.draws[:, 0] * share + fit.draws[:, 1] * draws_s)
        if len(fit.residuals):
            spread = spread + np.random.default_rng(_SEED).choice(fit.residuals, len(spread))
        bounds = np.exp(np.quantile(spread, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)))
        low, high = min(slowdown, float(bounds[0])), max(slowdown, float(bounds[1]))
        beyond = _beyond(fit, share, wait_s)
        return Prediction(slowdown=slowdown, low=low, high=high if beyond is None else None, reason=beyond)


def _beyond(fit: _Fit, share: float, wait_s: float) -> str | None:
    if share > (1 + _BEYOND) * fit.most_share:
        return f"a link's share of {share:.0%} is beyond the heaviest compression's, {fit.most_share:.0%}"
    if wait_s > (1 + _BEYOND) * fit.most_wait_s:
        return f"a wait of {wait_s:.3g} s is beyond the heaviest compression's, {fit.most_wait_s:.3g} s"
    return None


@lru_cache(maxsize=512)
def _fit(victim: Profile) -> _Fit:
    links_of([victim])
    if len(victim.levels) < _LEAST_LEVELS:
        raise CannotTell(f"{victim.application} was run beside {len(victim.levels)} compressions: it takes two")
    if any(one.links is None for one in victim.levels):
        raise CannotTell(f"nobody counted the links that {victim.application}'s compressions used")
    causes = _of_levels(victim)
    lost = np.array([slowdown_of(victim.alone_s, one.times_s).centre for one in victim.levels]) - 1
    return _Fit(
        losses=_losses(causes.shares, causes.waits_s, lost),
        draws=_redrawn(victim, causes),
        residuals=_left_out(causes, lost),
        most_share=float(causes.shares.max()),
        most_wait_s=float(causes.waits_s.max()),
    )


def _of_levels(victim: Profile) -> _Causes:
    used = links_used(victim)
    waits, draws = zip(
        *(_wait(victim.idle, one.probes.array, seed=number) for number, one in enumerate(victim.levels)), strict=True
    )
    shares = [busiest(used, one.links or {}) for one in victim.levels]
    return _Causes(shares=np.array(shares), waits_s=np.array(waits), draws_s=np.stack(draws))


def _wait(idle: Latencies, loaded_s: Floats, *, seed: int) -> tuple[float, Floats]:
    """On average, s, and what that might have been, shape (400,)."""
    found = max(0.0, float(loaded_s.mean() - idle.array.mean()))
    return found, wait_draws(idle.array, loaded_s, resamples=RESAMPLES, seed=_SEED + seed)


def _losses(shares: Floats, waits_s: Floats, lost: Floats) -> Floats:
    """a and b, shape (2,), of loads: all of shape (n,). Errors count by the time that a run took: times err so."""
    from scipy.optimize import nnls  # a second, which others shall not wait

    table = np.stack([shares, waits_s], axis=1)
    scale = np.where(table.max(axis=0) > 0, table.max(axis=0), 1.0)
    took = 1 + lost
    found, _ = nnls(table / scale / took[:, np.newaxis], lost / took)
    losses: Floats = found / scale
    return losses


def _redrawn(victim: Profile, causes: _Causes) -> Floats:
    random = np.random.default_rng(_SEED)
    alone = medians_of(victim.alone_s, random)
    beside = np.stack([medians_of(one.times_s, random) for one in victim.levels])
    lost = beside / alone - 1
    return np.stack([_losses(causes.shares, causes.draws_s[:, draw], lost[:, draw]) for draw in range(RESAMPLES)])


def _left_out(causes: _Causes, lost: Floats) -> Floats:
    """Of each compression, from what the others say of it; empty where they are too few."""
    if len(lost) <= _LEAST_LEVELS:
        return np.empty(0)
    found = []
    for one in range(len(lost)):
        losses = _losses(*(np.delete(values, one) for values in (causes.shares, causes.waits_s, lost)))
        told = 1 + float(losses @ [causes.shares[one], causes.waits_s[one]])
        found.append(float(np.log1p(lost[one]) - np.log(told)))
    return np.array(found)
