"""A predictor by the waits of messages: the longer they wait at a moment, the slower the victim proceeds at it.

    slowdown = 1 / mean of pace(w) over time,   pace(w) = 1 / (1 + (w / t)^p)

w is the longest of m independent waits of probes at a moment, since a step of a program ends with the last of its
messages. t is about the time between those messages that the victim waits for: it proceeds at half its isolated pace
while messages wait that long. p, at most 1, is below 1 if longer waits are shared by more of its messages, as those of
a queue are. The mean is over time: beside an aggressor that fills the queues for half of it, the victim proceeds in the
other half, which the mean wait does not say.

The parameters t, p and m of a victim follow from its congestion levels. They are not set to the best values: a
prediction is the mean of those for all of them, weighted by the likelihood of what was measured at the levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np

from stressbench.formats.profiles.profile import Latencies, Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.prediction import CheckedPredictor, Prediction
from stressbench.interference.profile_analysis import slowdown_interval
from stressbench.interference.utilisation import Floats
from stressbench.stats.intervals import CONFIDENCE

_LEAST_ERROR = 0.05
"""Standard deviation of the logarithm of a slowdown, at least: what the model leaves out."""
_PARAMETERS = 3
_EXTRAPOLATED_SHARE, _EXTRAPOLATION_TOLERANCE = 0.05, 1.1
_REPLICATES, _DRAWS_EACH, _BLOCK = 100, 20, 20
_SUMS = 4000
_SEED = 5

_SCALES = np.geomspace(1e-2, 1e8, 81)
_EXPONENTS = np.linspace(0.4, 1.0, 7)
_MESSAGES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
_WAITS = np.concatenate(([0.0], np.geomspace(1e-3, 1e9, 181)))
_LOG_WAITS = np.concatenate(([np.log(_WAITS[1] / 10)], np.log(_WAITS[1:])))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Waits:
    """Waits of probes, in order of time, and the time that each stands for; both of shape (n,).

    Waits are in units of the mean idle latency of the victim, so that one table of paces suffices.
    """

    values: Floats
    weights: Floats

    @property
    def mean(self) -> float:
        return float(np.average(self.values, weights=self.weights))

    def histogram(self) -> Floats:
        """The share of time at each of `_WAITS`, shape (waits,). A wait between two of them counts as some of both."""
        places = np.interp(np.log(np.maximum(self.values, _WAITS[1] / 10)), _LOG_WAITS, np.arange(len(_WAITS)))
        below = np.minimum(places.astype(np.int64), len(_WAITS) - 2)
        lower = np.bincount(below, weights=self.weights * (below + 1 - places), minlength=len(_WAITS))
        upper = np.bincount(below + 1, weights=self.weights * (places - below), minlength=len(_WAITS))
        shares: Floats = (lower + upper) / self.weights.sum()
        return shares

    def drawn(self, count: int, random: np.random.Generator) -> Floats:
        """Waits at `count` random moments, shape (count,)."""
        drawn: Floats = random.choice(self.values, count, p=self.weights / self.weights.sum())
        return drawn

    def resampled(self, random: np.random.Generator) -> "_Waits":
        """A bootstrap replicate, of blocks of probes, since those that follow each other wait alike."""
        count = len(self.values)
        starts = random.integers(count, size=-(-count // _BLOCK))
        chosen = ((starts[:, np.newaxis] + np.arange(_BLOCK)) % count).ravel()[:count]
        return _Waits(values=self.values[chosen], weights=self.weights[chosen])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fit:
    """The likelihood of each combination of parameters, shape (c,), with sum 1, and the error of the logarithm of a
    slowdown; the longest wait of all levels, in units of the mean idle latency.
    """

    likelihoods: Floats
    error: float
    longest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace(CheckedPredictor):
    """Predicts from the distribution of waits over time; the waits of several aggressors add up.

    Those of each profile are the waits of the pair of hosts that waits longest. The interval covers the uncertainty of
    the parameters, the errors at the congestion levels, and the variation of waits beside the aggressors. There is no
    upper bound if more than a twentieth of the time has waits longer than those at the heaviest level.
    """

    name: str = "Pace"

    def _predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        fit, unit_s = _fit(victim), _mean_s(victim.idle)
        beside = [_impact_waits(one, unit_s) for one in aggressors]
        idle = _log_paces(_added([_idle_waits(one, unit_s) for one in aggressors], seed=_SEED))
        combined = _added(beside, seed=_SEED)
        slowdown = float(np.exp(fit.likelihoods @ (idle - _log_paces(combined))))
        tails = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
        low, high = np.exp(np.quantile(_drawn_log_slowdowns(fit, beside, idle), tails))
        beyond = combined.values > _EXTRAPOLATION_TOLERANCE * fit.longest
        share = float(combined.weights[beyond].sum() / combined.weights.sum())
        reason = None
        if share > _EXTRAPOLATED_SHARE:
            level = f"the heaviest congestion level, {fit.longest * unit_s:.3g} s"
            reason = f"{share:.0%} of the time waits are beyond those of {level}"
        return Prediction(
            slowdown=slowdown, low=min(slowdown, float(low)),
            high=max(slowdown, float(high)) if reason is None else None, reason=reason,
        )  # fmt: skip


def _drawn_log_slowdowns(fit: _Fit, beside: Sequence[_Waits], idle: Floats) -> Floats:
    """Logarithms of slowdowns, each of drawn parameters, waits and errors."""
    random = np.random.default_rng(_SEED)
    draws = []
    for replicate in range(_REPLICATES):
        waits = _added([one.resampled(random) for one in beside], seed=_SEED + replicate)
        parameters = random.choice(len(fit.likelihoods), _DRAWS_EACH, p=fit.likelihoods)
        draws.append((idle - _log_paces(waits))[parameters] + random.normal(0, fit.error, _DRAWS_EACH))
    return np.concatenate(draws)


@lru_cache(maxsize=512)
def _fit(victim: Profile) -> _Fit:
    if not victim.levels:
        raise Inconclusive(f"{victim.application} was not measured at any congestion level")
    if len(victim.levels) == 1:
        raise Inconclusive(f"{victim.application} was measured at one congestion level: at least two are needed")
    unit_s = _mean_s(victim.idle)
    idle = _log_paces(_idle_waits(victim, unit_s))
    levels = [_waits(one.probes, victim.idle, unit_s) for one in victim.levels]
    predicted = np.stack([idle - _log_paces(one) for one in levels])
    measured = np.log([slowdown_interval(victim.alone_s, one.times_s).centre for one in victim.levels])
    squares = ((predicted - measured[:, np.newaxis]) ** 2).sum(axis=0)
    spread = squares.min() / max(1, len(levels) - _PARAMETERS)
    error = max(_LEAST_ERROR, float(np.sqrt(spread)))
    likelihoods = np.exp((squares.min() - squares) / (2 * error**2))
    return _Fit(
        likelihoods=likelihoods / likelihoods.sum(), error=error,
        longest=max(float(np.quantile(one.values, 0.95)) for one in levels),
    )  # fmt: skip


@lru_cache(maxsize=512)
def _impact_waits(profile: Profile, unit_s: float) -> _Waits:
    if profile.impact is None:
        raise Inconclusive(f"the impact of {profile.application} was not measured")
    return _waits(profile.impact.probes, profile.idle, unit_s)


@lru_cache(maxsize=512)
def _idle_waits(profile: Profile, unit_s: float) -> _Waits:
    return _waits(profile.idle, profile.idle, unit_s)


def _mean_s(idle: Latencies) -> float:
    return float(np.average(idle.array, weights=idle.weights))


def _waits(probes: Latencies, idle: Latencies, unit_s: float) -> _Waits:
    """By how much the latencies of the pair that waits longest exceed the mean idle latency, in units of `unit_s`."""
    values = np.maximum(0.0, probes.array - _mean_s(idle)) / unit_s
    weights, pairs = probes.weights, probes.pairs
    of_pairs = [_Waits(values=values[pairs == one], weights=weights[pairs == one]) for one in np.unique(pairs).tolist()]
    return max(of_pairs, key=lambda one: one.mean)


def _added(waits: Sequence[_Waits], *, seed: int) -> _Waits:
    """Waits that add up, those of each aggressor at moments that are independent of the others."""
    if len(waits) == 1:
        return waits[0]
    random = np.random.default_rng(seed)
    sums = np.sum([one.drawn(_SUMS, random) for one in waits], axis=0)
    return _Waits(values=sums, weights=np.ones(_SUMS))


@lru_cache(maxsize=1)
def _paces() -> Floats:
    """The pace at each of `_WAITS`, shape (scales and exponents, waits)."""
    paces: Floats = np.stack(
        [1 / (1 + (_WAITS / scale) ** exponent) for scale, exponent in product(_SCALES, _EXPONENTS)]
    )
    return paces


def _log_paces(waits: _Waits) -> Floats:
    """The logarithm of the mean pace for each combination of parameters, shape (c,)."""
    reached = np.cumsum(waits.histogram())
    longest_of = np.stack([np.diff(reached**messages, prepend=0.0) for messages in _MESSAGES], axis=1)
    logs: Floats = np.log(_paces() @ longest_of).ravel()
    return logs
