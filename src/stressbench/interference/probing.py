"""From latencies of probes, on the idle machine and under load, to the utilisation of the switch between them.

Where the paper (Casas and Bronevetsky, III-A and IV-B) is silent: docs/explanation/sensitivity.md.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import ceil, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stressbench.interference.errors import CannotTell
from stressbench.interference.queueing import Service, utilisation_of_wait
from stressbench.stats.dependence import dependence_of
from stressbench.stats.intervals import CONFIDENCE, Interval, widened
from stressbench.stats.trend import trend_of

LEAST_SAMPLES = 30
SATURATED = 0.95
"""From here on one point of utilisation is a quarter of the wait or more, and bursts read as load."""
_IDLE_VARIATION = 10.0
_BELOW_IDLE = 0.05
_DRIFT_P = 1e-3
_IDLE_DRIFT = 0.25
_LOADED_DRIFT = 1.5
_MOST_BATCHES = 100
_RESAMPLES = 999
_SEED = 1

Floats: TypeAlias = NDArray[np.float64]


class ServiceTime(StrEnum):
    """What stands for the mean service 1/mu: the least idle latency, as in the paper, or the mean one.

    With the least, an idle machine reads as loaded, because its mean lies above its minimum; with the mean it reads 0.
    """

    minimum = "minimum"
    mean = "mean"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How samples are read. `averaged`: each latency is the mean of that many messages, 2 for half a round trip.

    The mean of two services varies half as much as one, so Var(S) is `averaged` times the variance of the samples. The
    paper does not do so: 1.
    """

    service: ServiceTime = ServiceTime.mean
    averaged: int = 1


PAPER = Reading(service=ServiceTime.minimum, averaged=1)
OURS = Reading()


@dataclass(frozen=True, slots=True, kw_only=True)
class Utilisation:
    """Share of the switch's time, 0 to 1, with a 95 % interval; `reason` says why `value` is None.

    A saturated switch has no value and no `high`, but a `low`: at least that much.
    """

    value: float | None
    low: float | None
    high: float | None
    reason: str | None


def service_of(idle_s: Floats, how: Reading = OURS) -> Service:
    """Mean and variance of service from latencies on the idle machine, shape (n,), n >= 2, s."""
    mean = float(idle_s.min() if how.service is ServiceTime.minimum else idle_s.mean())
    return Service(mean_s=mean, variance_s2=how.averaged * float(idle_s.var(ddof=1)))


def utilisation(
    idle_s: Floats, loaded_s: Floats, *, how: Reading = OURS, traffic: Service | None = None, steady: bool = True
) -> Utilisation:
    """Of the switch while `loaded_s` were taken; both in s, in the order of measurement, shapes (n,) and (m,).

    `traffic` is the service of the packets that load the switch, where it is known (a link's rate and their length);
    without it they are taken to be like the probes, as in the paper. `steady`: a load that drifts is doubted. The
    interval is a bootstrap of both means and of the variance, over batches of neighbours, and wider where batches
    resemble those before them.
    """
    try:
        _check_idle(idle_s, traffic=traffic)
        _check_samples(loaded_s, what="under load")
        if steady:
            _check_steady(idle_s, loaded_s)
        return _estimate(idle_s, loaded_s, how=how, traffic=traffic)
    except CannotTell as reason:
        return Utilisation(value=None, low=None, high=None, reason=str(reason))


def point(idle_s: Floats, loaded_s: Floats, *, how: Reading = OURS, traffic: Service | None = None) -> float:
    """The utilisation alone, 0 to below 1, with no check; a mean below the service reads as 0."""
    service = service_of(idle_s, how)
    wait = max(0.0, float(loaded_s.mean()) - service.mean_s)
    return utilisation_of_wait(wait, service if traffic is None else traffic)


def draws(
    idle_s: Floats, loaded_s: Floats, *, how: Reading = OURS, traffic: Service | None = None,
    resamples: int = _RESAMPLES, seed: int = _SEED,
) -> Floats:  # fmt: skip
    """Utilisations of resampled batches, shape (resamples,): what `point` might have been. The same seed, the same."""
    waits, residual = _resampled(idle_s, loaded_s, how=how, traffic=traffic, resamples=resamples, seed=seed)
    waits = np.maximum(waits, 0.0)
    shares: Floats = waits / (waits + residual)
    return shares


def wait_draws(idle_s: Floats, loaded_s: Floats, *, resamples: int, seed: int) -> Floats:
    """How much longer probes may have taken than on the idle machine on average, s, shape (resamples,); 0 or more."""
    waits, _ = _resampled(idle_s, loaded_s, how=OURS, traffic=None, resamples=resamples, seed=seed)
    return np.maximum(waits, 0.0)


def probes_needed(
    idle_s: Floats, *, half_width: float, how: Reading = OURS, traffic: Service | None = None
) -> int:  # fmt: skip
    """How many probes, idle and again loaded, let 95 % of readings of a machine that idles err by `half_width` or less.

    `half_width` in utilisation, above 0; at least 30. By the normal approximation at utilisation 0.
    """
    service = service_of(idle_s, how) if traffic is None else traffic
    error_of_one = float(idle_s.std(ddof=1)) * sqrt(2) / service.residual_s
    return max(LEAST_SAMPLES, ceil((NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * error_of_one / half_width) ** 2))


def _estimate(idle_s: Floats, loaded_s: Floats, *, how: Reading, traffic: Service | None) -> Utilisation:
    waits, residual = _resampled(idle_s, loaded_s, how=how, traffic=traffic, resamples=_RESAMPLES, seed=_SEED)
    tails = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
    sooner = _service_mean(idle_s, how) - float(loaded_s.mean())
    if np.quantile(waits, tails[1]) < 0 and sooner > _BELOW_IDLE * _scale(_service_mean(idle_s, how), traffic):
        raise CannotTell(
            f"probes were faster under load ({loaded_s.mean():.3g} s) than on the idle machine "
            f"({_service_mean(idle_s, how):.3g} s): calibrate again, at the same time and on the same path"
        )
    waits = np.maximum(waits, 0.0)
    value = point(idle_s, loaded_s, how=how, traffic=traffic)
    low, high = (float(bound) for bound in np.quantile(waits / (waits + residual), tails))
    resemblance = dependence_of(_batches(loaded_s).mean_s)
    interval = widened(
        Interval(centre=value, low=min(low, value), high=max(high, value)),
        1.0 if resemblance is None else resemblance.factor,
    )
    assert interval.low is not None
    assert interval.high is not None
    low, high = max(0.0, interval.low), min(1.0, interval.high)
    if value >= SATURATED:
        reason = f"saturated: at {value:.0%} waits say little about load, only that it is at least {low:.0%}"
        return Utilisation(value=None, low=low, high=None, reason=reason)
    return Utilisation(value=value, low=low, high=high, reason=None)


def _check_idle(idle_s: Floats, *, traffic: Service | None) -> None:
    _check_samples(idle_s, what="on the idle machine")
    mean = float(idle_s.mean())
    variation = float(idle_s.var(ddof=1)) / mean**2
    if variation > _IDLE_VARIATION:
        raise CannotTell(
            f"on the idle machine latencies vary {variation**0.5:.1f} times their mean: something else was running"
        )
    trend = trend_of(_batches(idle_s).mean_s)
    if trend.p < _DRIFT_P and abs(trend.change) > _IDLE_DRIFT * _scale(mean, traffic):
        raise CannotTell(f"on the idle machine latencies drifted by {trend.change:+.3g} s, their mean is {mean:.3g} s")


def _scale(mean_s: float, traffic: Service | None) -> float:
    """What changes of the idle machine count against: its latency, or what a packet adds where that is known."""
    return mean_s if traffic is None else max(mean_s, traffic.residual_s)


def _check_steady(idle_s: Floats, loaded_s: Floats) -> None:
    mean = float(idle_s.mean())
    wait = max(float(loaded_s.mean()) - mean, _IDLE_DRIFT * mean)
    trend = trend_of(_batches(loaded_s).mean_s)
    if trend.p < _DRIFT_P and abs(trend.change) > _LOADED_DRIFT * wait:
        raise CannotTell(
            f"under load latencies drifted by {trend.change:+.3g} s, the mean wait is {loaded_s.mean() - mean:.3g} s: "
            "the queue had no steady state"
        )


def _check_samples(values: Floats, *, what: str) -> None:
    if len(values) < LEAST_SAMPLES:
        raise CannotTell(f"{len(values)} probes {what}: at least {LEAST_SAMPLES} are needed")
    wrong = values[~(np.isfinite(values) & (values > 0))]
    if len(wrong):
        raise CannotTell(f"a latency of {wrong[0]:g} s {what}: expected times above 0 s")


def _service_mean(idle_s: Floats, how: Reading) -> float:
    return service_of(idle_s, how).mean_s


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Batches:
    """Sums over neighbours, shape (batches,) each; squares are those of differences to `around_s`."""

    counts: Floats
    sums_s: Floats
    squares_s2: Floats
    around_s: float

    @property
    def mean_s(self) -> Floats:
        means: Floats = self.sums_s / self.counts
        return means


def _batches(values: Floats) -> _Batches:
    starts = np.linspace(0, len(values), min(len(values), _MOST_BATCHES), endpoint=False).astype(np.int64)
    around = float(values.mean())
    return _Batches(
        counts=np.diff([*starts, len(values)]).astype(np.float64),
        sums_s=np.add.reduceat(values, starts),
        squares_s2=np.add.reduceat((values - around) ** 2, starts),
        around_s=around,
    )


def _resampled(
    idle_s: Floats, loaded_s: Floats, *, how: Reading, traffic: Service | None, resamples: int, seed: int
) -> tuple[Floats, Floats]:
    """Waits and residual services, s, shape (resamples,) each; a wait may be negative."""
    random = np.random.default_rng(seed)
    idle, loaded = _batches(idle_s), _batches(loaded_s)
    chosen = random.integers(len(idle.counts), size=(resamples, len(idle.counts)))
    counts = idle.counts[chosen].sum(axis=1)
    means = idle.sums_s[chosen].sum(axis=1) / counts
    variances = idle.squares_s2[chosen].sum(axis=1) / counts - (means - idle.around_s) ** 2
    # A resampled minimum is never below the minimum: it says nothing about its own error and stays as it is.
    services = np.full(resamples, idle_s.min()) if how.service is ServiceTime.minimum else means
    chosen = random.integers(len(loaded.counts), size=(resamples, len(loaded.counts)))
    waits = loaded.sums_s[chosen].sum(axis=1) / loaded.counts[chosen].sum(axis=1) - services
    if traffic is not None:
        return waits, np.full(resamples, traffic.residual_s)
    return waits, (services + how.averaged * np.maximum(variances, 0.0) / services) / 2
