"""Latency statistics of probes on the idle machine and under load, their comparison, and cautions about them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, exp

import numpy as np

from stressbench.formats.run.samples import Integers
from stressbench.formats.units import microseconds_text
from stressbench.interference.probes import (
    MESSAGES_PER_LATENCY,
    ProbeSchedule,
    ProbeSeries,
    concatenate_series,
    merge_pairs,
)
from stressbench.interference.queueing import Service
from stressbench.interference.undelayed import estimate_from_undelayed
from stressbench.interference.utilisation import DEFAULT_ESTIMATOR, Estimator, Floats, Utilisation, estimate_utilisation
from stressbench.stats.intervals import Interval, unpaired_interval
from stressbench.stats.percentiles import Percentile, grouped_samples, percentile_of

PERCENTILES = (0.5, 0.95, 0.99)
PRECISION = 0.05
"""The half-width of the interval, in utilisation, that probes of an idle switch should reach."""
PING_PONG_ESTIMATOR = Estimator(service=DEFAULT_ESTIMATOR.service, averaged=MESSAGES_PER_LATENCY)
"""`DEFAULT_ESTIMATOR`, for half round trips."""
_MAX_DRIFT = 0.05
_MAX_LATE_TO_WAIT_RATIO = 0.5
_MIN_DETECTED_UTILISATION = 0.02
_MAX_PROBE_DUTY = 0.25
"""Largest ratio of a ping-pong's time to the interval: a utilisation of 70 % is then estimated as 68 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencySummary:
    """One-way latencies of probes, s: mean and those of the percentiles 50, 95 and 99 that can be estimated."""

    count: int
    mean_s: float
    percentiles: tuple[Percentile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeStatistics(LatencySummary):
    """Latencies of a series of probes; `late_s`: mean delay of their wake-up."""

    late_s: float


def latency_summary(latencies_s: Floats, rounds: Integers) -> LatencySummary:
    """Statistics of at least one latency, s; latencies of the same round (`rounds`, shape (n,)) count as correlated."""
    grouped = grouped_samples(latencies_s, rounds)
    percentiles = (percentile_of(grouped, share) for share in PERCENTILES)
    return LatencySummary(
        count=len(latencies_s), mean_s=float(latencies_s.mean()),
        percentiles=tuple(one for one in percentiles if one is not None),
    )  # fmt: skip


def probe_statistics(probes: ProbeSeries) -> ProbeStatistics:
    """Statistics of a series of at least one probe."""
    summary = latency_summary(probes.latencies_s, probes.round)
    return ProbeStatistics(
        count=summary.count,
        mean_s=summary.mean_s,
        percentiles=summary.percentiles,
        late_s=float(np.nanmean(probes.late_s)),
    )


def joined_idle_probes(before: Sequence[ProbeSeries], after: Sequence[ProbeSeries]) -> tuple[ProbeSeries, ...]:
    """The series of each pair, before and after concatenated; `after` can be empty."""
    if not after:
        return tuple(before)
    return tuple(concatenate_series(both) for both in zip(before, after, strict=True))


def utilisation_seen_by(
    pairs: Sequence[ProbeSeries], idle: ProbeSeries, loaded: ProbeSeries, *, steady: bool,
    estimator: Estimator = PING_PONG_ESTIMATOR, packets: Service | None = None,
) -> Utilisation:  # fmt: skip
    """The utilisation from `loaded`, the probes of `pairs`; without a value if a pair is within one host.

    `packets` and `steady` as in `estimate_utilisation`.
    """
    return on_network(pairs) or estimate_utilisation(
        idle.latencies_s, loaded.latencies_s, estimator=estimator, packets=packets, steady=steady
    )


def undelayed_seen_by(pairs: Sequence[ProbeSeries], idle: ProbeSeries, loaded: ProbeSeries) -> Utilisation:
    """The mean utilisation of both directions from undelayed probes of `pairs`, which `idle` and `loaded` hold.

    Where the delays of directions are unknown, both are taken to be equally loaded.
    """
    if (unknown := on_network(pairs)) is not None:
        return unknown
    if idle.delays_s is None or loaded.delays_s is None:
        return estimate_from_undelayed(
            idle.latencies_s, loaded.latencies_s, directions=2, weights=loaded.stands_for_s
        )  # fmt: skip
    weights = np.repeat(loaded.stands_for_s, 2)
    return estimate_from_undelayed(idle.delays_s, loaded.delays_s, directions=1, weights=weights)


def on_network(pairs: Sequence[ProbeSeries]) -> Utilisation | None:
    """A utilisation without value if a pair is within one host, or None if all probe the network."""
    for pair in pairs:
        if len(pair.hosts) == 1:
            return Utilisation(value=None, low=None, high=None, reason=same_host_reason(pair.hosts[0]))
    return None


def same_host_reason(host: str) -> str:
    """Why a pair of ranks on one host does not probe the network."""
    return f"both ranks of a pair are on {host}: their messages go through memory, not through a switch"


def idle_drift(before: Sequence[ProbeSeries], after: Sequence[ProbeSeries]) -> Interval | None:
    """Ratio of the idle latencies after to those before; None without probes on either side."""
    if not after:
        return None
    earlier, later = merge_pairs(before).latencies_s, merge_pairs(after).latencies_s
    if not len(earlier) or not len(later):
        return None
    return latency_drift(earlier, later)


def latency_drift(earlier_s: Floats, later_s: Floats) -> Interval:
    """Ratio of later to earlier latencies, with its interval; both are not empty."""
    logs = unpaired_interval(np.log(earlier_s), np.log(later_s))
    low, high = (None if bound is None else exp(bound) for bound in (logs.low, logs.high))
    return Interval(centre=exp(logs.centre), low=low, high=high)


def is_significant_drift(drift: Interval) -> bool:
    """Whether latencies changed significantly and by more than 5 %."""
    if drift.low is None or drift.high is None:
        return False
    return (drift.low > 1 or drift.high < 1) and abs(drift.centre - 1) > _MAX_DRIFT


@dataclass(frozen=True, slots=True, kw_only=True)
class WakeupDelay:
    """How much later probes woke up under load than on the idle machine, and how much longer they took; means, s."""

    late_s: float
    wait_s: float


def wakeup_delay(idle: ProbeStatistics, loaded: ProbeStatistics, utilisation: Utilisation) -> WakeupDelay | None:
    """The delay if a load was detected and probes may have waited for cores; else None."""
    delay = WakeupDelay(late_s=loaded.late_s - idle.late_s, wait_s=loaded.mean_s - idle.mean_s)
    load_detected = utilisation.low is not None and utilisation.low > _MIN_DETECTED_UTILISATION
    return delay if load_detected and delay.late_s > _MAX_LATE_TO_WAIT_RATIO * delay.wait_s else None


def sparse_probe_cautions(loaded: Sequence[ProbeStatistics], probing: ProbeSchedule) -> Iterator[str]:
    """A caution if ping-pongs take so long that too few of them sample the network while it is busiest."""
    mean_s = max((MESSAGES_PER_LATENCY * one.mean_s for one in loaded), default=0.0)
    if mean_s > _MAX_PROBE_DUTY * probing.interval_s:
        yield (
            f"a ping-pong took {microseconds_text(mean_s)} on average and delayed the next one: probes are rarer while "
            "the network is busy, so that the utilisation is underestimated; use "
            f"--every {ceil(mean_s / _MAX_PROBE_DUTY * 1e3)}ms or more"
        )


def idle_cautions(
    idle: ProbeStatistics, drift: Interval | None, *, needed: int, probing: ProbeSchedule
) -> Iterator[str]:
    """Cautions about the idle machine; `needed`: probes for an interval of +-5 percentage points on an idle switch."""
    if drift is not None and is_significant_drift(drift):
        yield (
            f"idle latencies after the program are {drift.centre:.2f} times those before it: the machine changed in "
            "between, or the program left processes or files behind"
        )
    if idle.count < needed:
        yield (
            f"{idle.count} idle probes: an interval of {PRECISION:.0%} on an idle switch takes {needed} at this "
            f"variation, which is --idle {ceil(probing_time_s(needed, probing))}s"
        )


def probing_time_s(count: int, probing: ProbeSchedule) -> float:
    """How long it takes to collect `count` probes from all pairs together, s."""
    return ceil(count / probing.pairs) * probing.interval_s
