"""Estimates the utilisation of the switch from probe latencies on the idle machine and under load.

Follows Casas and Bronevetsky, III-A and IV-B; docs/explanation/sensitivity.md documents what the paper leaves open.
"""

from dataclasses import dataclass
from enum import StrEnum
from math import ceil, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stressbench.interference.errors import Inconclusive
from stressbench.interference.queueing import Service, utilisation_of_wait
from stressbench.stats.dependence import dependence_of
from stressbench.stats.intervals import CONFIDENCE, Interval, widen_interval
from stressbench.stats.trend import trend_of

LEAST_SAMPLES = 30
SATURATED = 0.95
"""Above this utilisation one percentage point changes the wait by a quarter or more, and bursts are not resolved."""
_IDLE_VARIATION = 10.0
_MAX_DECREASE = 0.05
_DRIFT_P = 1e-3
_IDLE_DRIFT = 0.25
_LOADED_DRIFT = 1.5
_MOST_BATCHES = 100
_RESAMPLES = 999
_SEED = 1

Floats: TypeAlias = NDArray[np.float64]


class ServiceTime(StrEnum):
    """The estimate of the mean service time 1/mu: the minimum idle latency, as in the paper, or the mean.

    With the minimum, an idle machine appears loaded, since its mean latency is above its minimum; with the mean its
    utilisation is 0.
    """

    minimum = "minimum"
    mean = "mean"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimator:
    """How samples are interpreted. `averaged`: messages that each latency is the mean of; 2 for half a round trip.

    The mean of two service times has half the variance of one, so that Var(S) is `averaged` times the variance of the
    samples. The paper does not correct for this: 1.
    """

    service: ServiceTime = ServiceTime.mean
    averaged: int = 1


PAPER_ESTIMATOR = Estimator(service=ServiceTime.minimum, averaged=1)
DEFAULT_ESTIMATOR = Estimator()


@dataclass(frozen=True, slots=True, kw_only=True)
class Utilisation:
    """The share of time that the switch is busy, 0 to 1, with a 95 % interval; `reason` explains a `value` of None.

    A saturated switch has only a lower bound, `low`.
    """

    value: float | None
    low: float | None
    high: float | None
    reason: str | None


def service_estimate(idle_s: Floats, estimator: Estimator = DEFAULT_ESTIMATOR) -> Service:
    """Mean and variance of the service time from idle latencies, shape (n,), n >= 2, s."""
    mean = float(idle_s.min() if estimator.service is ServiceTime.minimum else idle_s.mean())
    return Service(mean_s=mean, variance_s2=estimator.averaged * float(idle_s.var(ddof=1)))


def estimate_utilisation(
    idle_s: Floats,
    loaded_s: Floats,
    *,
    estimator: Estimator = DEFAULT_ESTIMATOR,
    packets: Service | None = None,
    steady: bool = True,
) -> Utilisation:
    """The utilisation while `loaded_s` was measured; latencies in s, in temporal order, shapes (n,) and (m,).

    `packets`: service time of the packets that load the switch, if it is known from the link rate and their size; by
    default they are assumed to be like the probes, as in the paper. `steady`: treat a load that drifts as inconclusive.
    The interval is a bootstrap of both means and the variance over batches of consecutive samples, widened where
    batches are autocorrelated.
    """
    try:
        _check_idle(idle_s, packets=packets)
        check_samples(loaded_s, what="under load")
        if steady:
            _check_steady(idle_s, loaded_s)
        return _estimate(idle_s, loaded_s, estimator=estimator, packets=packets)
    except Inconclusive as reason:
        return Utilisation(value=None, low=None, high=None, reason=str(reason))


def point_estimate(
    idle_s: Floats, loaded_s: Floats, *, estimator: Estimator = DEFAULT_ESTIMATOR, packets: Service | None = None
) -> float:
    """The utilisation without interval or checks, 0 to below 1; 0 for a mean below the service time."""
    service = service_estimate(idle_s, estimator)
    wait = max(0.0, float(loaded_s.mean()) - service.mean_s)
    return utilisation_of_wait(wait, service if packets is None else packets)


def bootstrap_utilisations(
    idle_s: Floats, loaded_s: Floats, *, estimator: Estimator = DEFAULT_ESTIMATOR, packets: Service | None = None,
    resamples: int = _RESAMPLES, seed: int = _SEED,
) -> Floats:  # fmt: skip
    """Bootstrap distribution of `point_estimate`, shape (resamples,), over batches of consecutive samples."""
    waits, residual = _bootstrap(idle_s, loaded_s, estimator=estimator, packets=packets, resamples=resamples, seed=seed)
    waits = np.maximum(waits, 0.0)
    shares: Floats = waits / (waits + residual)
    return shares


def bootstrap_waits(idle_s: Floats, loaded_s: Floats, *, resamples: int, seed: int) -> Floats:
    """Bootstrap distribution of the mean wait, s, at least 0, shape (resamples,)."""
    waits, _ = _bootstrap(idle_s, loaded_s, estimator=DEFAULT_ESTIMATOR, packets=None, resamples=resamples, seed=seed)
    return np.maximum(waits, 0.0)


def probes_needed(
    idle_s: Floats, *, half_width: float, estimator: Estimator = DEFAULT_ESTIMATOR, packets: Service | None = None
) -> int:  # fmt: skip
    """Number of probes, both idle and under load, for a 95 % interval of +- `half_width` on an idle machine.

    `half_width` is a utilisation above 0. At least 30, from the normal approximation at utilisation 0.
    """
    service = service_estimate(idle_s, estimator) if packets is None else packets
    error_of_one = float(idle_s.std(ddof=1)) * sqrt(2) / service.residual_s
    return max(LEAST_SAMPLES, ceil((NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * error_of_one / half_width) ** 2))


def _estimate(idle_s: Floats, loaded_s: Floats, *, estimator: Estimator, packets: Service | None) -> Utilisation:
    waits, residual = _bootstrap(
        idle_s, loaded_s, estimator=estimator, packets=packets, resamples=_RESAMPLES, seed=_SEED
    )
    tails = ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)
    decrease_s = _service_mean(idle_s, estimator) - float(loaded_s.mean())
    if np.quantile(waits, tails[1]) < 0 and decrease_s > _MAX_DECREASE * _scale(
        _service_mean(idle_s, estimator), packets
    ):
        raise Inconclusive(
            f"probes were faster under load ({loaded_s.mean():.3g} s) than on the idle machine "
            f"({_service_mean(idle_s, estimator):.3g} s): calibrate again, at the same time and on the same path"
        )
    waits = np.maximum(waits, 0.0)
    value = point_estimate(idle_s, loaded_s, estimator=estimator, packets=packets)
    low, high = (float(bound) for bound in np.quantile(waits / (waits + residual), tails))
    dependence = dependence_of(_batches(loaded_s).mean_s)
    interval = widen_interval(
        Interval(centre=value, low=min(low, value), high=max(high, value)),
        1.0 if dependence is None else dependence.factor,
    )
    assert interval.low is not None
    assert interval.high is not None
    low, high = max(0.0, interval.low), min(1.0, interval.high)
    if value >= SATURATED:
        reason = f"saturated: at {value:.0%} waits only show that the load is at least {low:.0%}"
        return Utilisation(value=None, low=low, high=None, reason=reason)
    return Utilisation(value=value, low=low, high=high, reason=None)


def _check_idle(idle_s: Floats, *, packets: Service | None) -> None:
    check_samples(idle_s, what="on the idle machine")
    mean = float(idle_s.mean())
    variation = float(idle_s.var(ddof=1)) / mean**2
    if variation > _IDLE_VARIATION:
        raise Inconclusive(
            f"on the idle machine latencies vary {variation**0.5:.1f} times their mean: something else was running"
        )
    trend = trend_of(_batches(idle_s).mean_s)
    if trend.p < _DRIFT_P and abs(trend.change) > _IDLE_DRIFT * _scale(mean, packets):
        raise Inconclusive(
            f"on the idle machine latencies drifted by {trend.change:+.3g} s, their mean is {mean:.3g} s"
        )


def _scale(mean_s: float, packets: Service | None) -> float:
    """Reference, s, for changes of idle latencies: their mean or, if larger, the packets' residual service time."""
    return mean_s if packets is None else max(mean_s, packets.residual_s)


def _check_steady(idle_s: Floats, loaded_s: Floats) -> None:
    mean = float(idle_s.mean())
    wait = max(float(loaded_s.mean()) - mean, _IDLE_DRIFT * mean)
    trend = trend_of(_batches(loaded_s).mean_s)
    if trend.p < _DRIFT_P and abs(trend.change) > _LOADED_DRIFT * wait:
        raise Inconclusive(
            f"under load latencies drifted by {trend.change:+.3g} s, the mean wait is {loaded_s.mean() - mean:.3g} s: "
            "the queue had no steady state"
        )


def check_samples(values: Floats, *, what: str) -> None:
    """Raise Inconclusive for too few latencies, and for what is not a time above 0 s."""
    if len(values) < LEAST_SAMPLES:
        raise Inconclusive(f"{len(values)} probes {what}: at least {LEAST_SAMPLES} are needed")
    invalid = values[~(np.isfinite(values) & (values > 0))]
    if len(invalid):
        raise Inconclusive(f"a latency of {invalid[0]:g} s {what}: expected times above 0 s")


def _service_mean(idle_s: Floats, estimator: Estimator) -> float:
    return service_estimate(idle_s, estimator).mean_s


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Batches:
    """Sums over batches of consecutive samples, shape (batches,); squares are of differences to `around_s`."""

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


def _bootstrap(
    idle_s: Floats, loaded_s: Floats, *, estimator: Estimator, packets: Service | None, resamples: int, seed: int
) -> tuple[Floats, Floats]:
    """Bootstrap distributions of the mean wait, which can be negative, and the residual service time, s."""
    random = np.random.default_rng(seed)
    idle, loaded = _batches(idle_s), _batches(loaded_s)
    chosen = random.integers(len(idle.counts), size=(resamples, len(idle.counts)))
    counts = idle.counts[chosen].sum(axis=1)
    means = idle.sums_s[chosen].sum(axis=1) / counts
    variances = idle.squares_s2[chosen].sum(axis=1) / counts - (means - idle.around_s) ** 2
    # The minimum is not resampled: a resampled minimum is never below it, so its error would be underestimated.
    services = np.full(resamples, idle_s.min()) if estimator.service is ServiceTime.minimum else means
    chosen = random.integers(len(loaded.counts), size=(resamples, len(loaded.counts)))
    waits = loaded.sums_s[chosen].sum(axis=1) / loaded.counts[chosen].sum(axis=1) - services
    if packets is not None:
        return waits, np.full(resamples, packets.residual_s)
    return waits, (services + estimator.averaged * np.maximum(variances, 0.0) / services) / 2
