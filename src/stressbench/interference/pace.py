"""A predictor by the waits of messages: the longer they wait at a moment, the slower the victim proceeds at it.

    slowdown = 1 / mean of pace(w) over time,   pace(w) = 1 / (1 + w / t)

w is the wait in the direction of the pair of hosts where messages wait longest at the moment, since a step of a program
ends with the last of its messages. t is about the time between those messages that the victim waits for: it proceeds at
half its isolated pace while messages wait that long. A moment lasts for a hundred such steps: the victim meets many
waits in that time, so that what they add to it is their mean. Waits that last longer than that do not average out.
Beside an aggressor that fills the queues for half of the time, the victim proceeds in the other half, which the mean
over all of the time does not say; how short such pauses may be for it to proceed depends on its steps.

t follows from the victim's congestion levels, except those where messages wait much longer than beside the aggressors:
where queues overflow, the slowdown is not that of waits. t is not set to the best value: a prediction is the mean of
those for all of them, weighted by the likelihood of what was measured at the levels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from stressbench.formats.profiles.profile import Latencies, Profile
from stressbench.formats.run.samples import Integers
from stressbench.interference.errors import Inconclusive
from stressbench.interference.prediction import CheckedPredictor, Prediction
from stressbench.interference.profile_analysis import slowdown_interval
from stressbench.interference.utilisation import Floats
from stressbench.stats.intervals import CONFIDENCE

_STEPS = 100
"""Of the victim, in a moment."""
_LENGTHS_S = np.array([0.1, 0.2, 0.4, 0.8, 1.6])
"""Of moments: that which is closest to `_STEPS`."""
_LEAST_PROBES = 4
"""Of a pair in a moment, on average; moments are longer with fewer of them."""
_LEAST_ERROR, _RELATIVE_ERROR = 0.05, 0.2
"""Of the logarithm of a slowdown, at least, and as a share of it: standard deviation of what the model leaves out."""
_NEAR = 2.0
"""How many times as long as beside the aggressors messages wait at the heaviest level that counts."""
_LEAST_LEVELS = 4
"""That count, however long messages wait at them, if there are as many."""
_EXTRAPOLATED_SHARE, _EXTRAPOLATION_TOLERANCE = 0.05, 1.1
_REPLICATES, _DRAWS_EACH, _BLOCK = 100, 20, 2
_SUMS = 4000
_SEED = 5

_SCALES = np.geomspace(1e-2, 1e8, 81)
_WAITS = np.concatenate(([0.0], np.geomspace(1e-3, 1e9, 181)))
_LOG_WAITS = np.concatenate(([np.log(_WAITS[1] / 10)], np.log(_WAITS[1:])))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Waits:
    """Mean waits in moments, shape (directions of all pairs, moments), and durations of moments, shape (moments,), s.

    Waits are in units of the mean idle latency of the victim, so that one table of paces suffices.
    """

    values: Floats
    durations_s: Floats

    @property
    def longest(self) -> Floats:
        """The longest wait of all directions in each moment, shape (moments,)."""
        longest: Floats = self.values.max(axis=0)
        return longest

    @property
    def mean_longest(self) -> float:
        """The mean of the longest waits over time."""
        return float(np.average(self.longest, weights=self.durations_s))

    def histogram(self) -> Floats:
        """The share of time at each of `_WAITS`, shape (waits,). A wait between two of them counts as some of both."""
        places = np.interp(np.log(np.maximum(self.longest, _WAITS[1] / 10)), _LOG_WAITS, np.arange(len(_WAITS)))
        below = np.minimum(places.astype(np.int64), len(_WAITS) - 2)
        lower = np.bincount(below, weights=self.durations_s * (below + 1 - places), minlength=len(_WAITS))
        upper = np.bincount(below + 1, weights=self.durations_s * (places - below), minlength=len(_WAITS))
        shares: Floats = (lower + upper) / self.durations_s.sum()
        return shares

    def drawn(self, count: int, random: np.random.Generator) -> Floats:
        """Waits at `count` random moments, shape (directions, count)."""
        shares = self.durations_s / self.durations_s.sum()
        drawn: Floats = self.values[:, random.choice(len(shares), count, p=shares)]
        return drawn

    def resampled(self, random: np.random.Generator) -> "_Waits":
        """A bootstrap replicate, of blocks of moments, since those that follow each other are alike."""
        count = len(self.durations_s)
        starts = random.integers(count, size=-(-count // _BLOCK))
        chosen = ((starts[:, np.newaxis] + np.arange(_BLOCK)) % count).ravel()[:count]
        return _Waits(values=self.values[:, chosen], durations_s=self.durations_s[chosen])


_WaitsByLength = tuple[_Waits, ...]
"""Waits in moments of each of `_LENGTHS_S`."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fit:
    """The likelihood of each of `_SCALES`, shape (scales,), with sum 1.

    `inflation`: how many times as large as `_errors` the errors at the levels are, at least 1.
    """

    likelihoods: Floats
    inflation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace(CheckedPredictor):
    """Predicts from waits over time; in each direction, the waits of several aggressors add up.

    The interval covers the uncertainty of the scale, errors as large as those at the congestion levels, in relation to
    the slowdown, and the variation of waits beside the aggressors. There is no upper bound if more than a twentieth
    of the time has waits longer than those at the heaviest level.
    """

    name: str = "Pace"

    def _predict(self, victim: Profile, aggressors: Sequence[Profile]) -> Prediction:
        levels, unit_s = _levels(victim), _mean_s(victim.idle)
        beside = [_impact_waits(one, unit_s) for one in aggressors]
        idle = _log_paces(_added([_idle_waits(one, unit_s) for one in aggressors]), unit_s)
        combined = _added(beside)
        fit = _fit(victim, _near(levels, combined[-1].mean_longest))
        least = _least_log_slowdown(victim, aggressors)
        log = float(fit.likelihoods @ (idle - _log_paces(combined, unit_s)))
        slowdown = float(np.exp(max(least, log)))
        tails = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
        drawn = _drawn_log_slowdowns(fit, beside, idle, least=least, lengths=_lengths_for_scales(unit_s))
        low, high = np.exp(np.quantile(drawn, tails))
        longest = max(float(np.quantile(one[-1].longest, 0.95)) for one in levels)
        beyond = combined[-1].longest > _EXTRAPOLATION_TOLERANCE * longest
        share = float(combined[-1].durations_s[beyond].sum() / combined[-1].durations_s.sum())
        reason = None
        if share > _EXTRAPOLATED_SHARE:
            level = f"the heaviest congestion level, {longest * unit_s:.3g} s"
            reason = f"{share:.0%} of the time waits are beyond those of {level}"
        return Prediction(
            slowdown=slowdown, low=min(slowdown, float(low)),
            high=max(slowdown, float(high)) if reason is None else None, reason=reason,
        )  # fmt: skip


def _drawn_log_slowdowns(
    fit: _Fit, beside: Sequence[_WaitsByLength], idle: Floats, *, least: float, lengths: Integers
) -> Floats:
    """Logarithms of slowdowns, each of a drawn scale, waits and errors; not below `least` before errors."""
    random = np.random.default_rng(_SEED)
    draws = []
    for replicate in range(_REPLICATES):
        scales = random.choice(len(fit.likelihoods), _DRAWS_EACH, p=fit.likelihoods)
        for number in np.unique(lengths[scales]):
            waits = _sum([one[number].resampled(random) for one in beside], seed=_SEED + replicate)
            chosen = scales[lengths[scales] == number]
            logs = np.maximum(idle[chosen] - _log_paces_at(chosen, waits), least)
            draws.append(random.normal(logs, fit.inflation * _errors(logs)))
    return np.concatenate(draws)


def _least_log_slowdown(victim: Profile, aggressors: Sequence[Profile]) -> float:
    """Of copies of a program, which share links evenly: as many times what one uses of its busiest link; else -inf."""
    copies = 1 + sum(one.application == victim.application for one in aggressors)
    used = max((victim.links or {}).values(), default=0.0)
    return float(np.log(copies * used)) if copies > 1 and used > 0 else -np.inf


@lru_cache(maxsize=512)
def _levels(victim: Profile) -> tuple[_WaitsByLength, ...]:
    """Waits at the congestion levels. Raises Inconclusive without two of them."""
    if not victim.levels:
        raise Inconclusive(f"{victim.application} was not measured at any congestion level")
    if len(victim.levels) == 1:
        raise Inconclusive(f"{victim.application} was measured at one congestion level: at least two are needed")
    unit_s = _mean_s(victim.idle)
    return tuple(_waits(one.probes, victim.idle, unit_s) for one in victim.levels)


def _near(levels: Sequence[_WaitsByLength], beside: float) -> tuple[int, ...]:
    """The levels that count for a prediction beside aggressors with this mean of the longest waits."""
    means = [one[-1].mean_longest for one in levels]
    longest = max(_NEAR * beside, sorted(means)[:_LEAST_LEVELS][-1])
    return tuple(number for number, mean in enumerate(means) if mean <= longest)


@lru_cache(maxsize=512)
def _fit(victim: Profile, chosen: tuple[int, ...]) -> _Fit:
    """The likelihoods of scales from these congestion levels."""
    levels, unit_s = _levels(victim), _mean_s(victim.idle)
    idle = _log_paces(_idle_waits(victim, unit_s), unit_s)
    predicted = np.stack([idle - _log_paces(levels[number], unit_s) for number in chosen], axis=1)
    times_s = [victim.levels[number].times_s for number in chosen]
    measured = np.log([slowdown_interval(victim.alone_s, one).centre for one in times_s])
    squares = (((predicted - measured) / _errors(measured)) ** 2).sum(axis=1)
    inflation = max(1.0, float(np.sqrt(squares.min() / (len(chosen) - 1))))
    likelihoods = np.exp((squares.min() - squares) / (2 * inflation**2))
    return _Fit(likelihoods=likelihoods / likelihoods.sum(), inflation=inflation)


def _errors(logs: Floats) -> Floats:
    """The standard deviation of logarithms of slowdowns, shape as `logs`, if the model fits the victim."""
    errors: Floats = np.hypot(_LEAST_ERROR, _RELATIVE_ERROR * logs)
    return errors


@lru_cache(maxsize=512)
def _impact_waits(profile: Profile, unit_s: float) -> _WaitsByLength:
    if profile.impact is None:
        raise Inconclusive(f"the impact of {profile.application} was not measured")
    return _waits(profile.impact.probes, profile.idle, unit_s)


@lru_cache(maxsize=512)
def _idle_waits(profile: Profile, unit_s: float) -> _WaitsByLength:
    return _waits(profile.idle, profile.idle, unit_s)


def _mean_s(idle: Latencies) -> float:
    return float(np.average(idle.array, weights=idle.weights))


def _waits(probes: Latencies, idle: Latencies, unit_s: float) -> _WaitsByLength:
    """By how much delays of both directions of each pair exceed the mean idle latency, in units of `unit_s`.

    Both directions are taken to be equally busy if their delays are unknown, and each probe is a moment of its own if
    times are. A pair without probes in a moment has its mean wait then; a moment of which less than half of the pairs
    were probed is left out.
    """
    pairs, weights_s, times_s = np.unique(probes.pairs, return_inverse=True)[1], probes.weights, probes.times
    idle_s, latencies_s = _mean_s(idle), probes.array
    waits = [np.maximum(0.0, one - idle_s) / unit_s for one in probes.directions or (latencies_s, latencies_s)]
    least_s = _LEAST_PROBES * float(np.mean(weights_s))
    by_length = []
    for length_s in _LENGTHS_S.tolist():
        moments = np.arange(len(pairs)) if times_s is None else _moments(times_s, max(length_s, least_s))
        by_length.append(_waits_in(moments, waits, pairs, weights_s))
    return tuple(by_length)


def _moments(times_s: Floats, length_s: float) -> Integers:
    """The number of the moment of each time, shape (n,)."""
    numbers: Integers = ((times_s - times_s[0]) / length_s).astype(np.int64)
    return numbers


def _waits_in(moments: Integers, waits: Sequence[Floats], pairs: Integers, weights_s: Floats) -> _Waits:
    """Mean waits of probes with these moments and pairs, in the two directions."""
    count = int(pairs.max()) + 1
    places, shape = pairs * (moments.max() + 1) + moments, (count, int(moments.max()) + 1)
    probed_s = np.bincount(places, weights=weights_s, minlength=shape[0] * shape[1]).reshape(shape)
    values = []
    for one in waits:
        sums = np.bincount(places, weights=weights_s * one, minlength=probed_s.size).reshape(shape)
        means = sums.sum(axis=1, keepdims=True) / probed_s.sum(axis=1, keepdims=True)
        values.append(np.where(probed_s > 0, sums / np.where(probed_s > 0, probed_s, 1.0), means))
    kept = 2 * (probed_s > 0).sum(axis=0) >= count
    return _Waits(values=np.concatenate(values)[:, kept], durations_s=probed_s.max(axis=0)[kept])


def _added(waits: Sequence[_WaitsByLength]) -> _WaitsByLength:
    """Waits of several aggressors in moments of each length."""
    return tuple(_sum(one, seed=_SEED) for one in zip(*waits, strict=True))


def _sum(waits: Sequence[_Waits], *, seed: int) -> _Waits:
    """Waits that add up in each direction, those of each aggressor at moments that are independent of the others.

    If the aggressors were probed in different directions, the longest waits add up.
    """
    if len(waits) == 1:
        return waits[0]
    random = np.random.default_rng(seed)
    drawn = [one.drawn(_SUMS, random) for one in waits]
    if len({len(one) for one in drawn}) > 1:
        drawn = [one.max(axis=0, keepdims=True) for one in drawn]
    return _Waits(values=np.sum(drawn, axis=0), durations_s=np.ones(_SUMS))


@lru_cache(maxsize=1)
def _paces() -> Floats:
    """The pace for each of `_SCALES` at each of `_WAITS`, shape (scales, waits)."""
    paces: Floats = 1 / (1 + _WAITS / _SCALES[:, np.newaxis])
    return paces


def _lengths_for_scales(unit_s: float) -> Integers:
    """Which of `_LENGTHS_S` a moment has for each of `_SCALES`, shape (scales,)."""
    ratios = np.log(_LENGTHS_S[:, np.newaxis] / (_STEPS * unit_s * _SCALES))
    lengths: Integers = np.abs(ratios).argmin(axis=0)
    return lengths


def _log_paces(waits: _WaitsByLength, unit_s: float) -> Floats:
    """The logarithm of the mean pace for each of `_SCALES`, shape (scales,)."""
    lengths = _lengths_for_scales(unit_s)
    logs = np.empty(len(_SCALES))
    for number, one in enumerate(waits):
        chosen = np.flatnonzero(lengths == number)
        logs[chosen] = _log_paces_at(chosen, one)
    return logs


def _log_paces_at(scales: Integers, waits: _Waits) -> Floats:
    """The logarithm of the mean pace for these of `_SCALES`, shape as `scales`."""
    logs: Floats = np.log(_paces()[scales] @ waits.histogram())
    return logs
