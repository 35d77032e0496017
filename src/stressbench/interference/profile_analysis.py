"""Utilisations and slowdowns, derived from the latencies and times of a profile."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp

import numpy as np

from stressbench.formats.profiles.profile import Level, Profile
from stressbench.interference.errors import Inconclusive
from stressbench.interference.phases import LoadPhase, phases_of
from stressbench.interference.probe_statistics import same_host_reason
from stressbench.interference.queueing import Service
from stressbench.interference.utilisation import (
    DEFAULT_ESTIMATOR,
    Estimator,
    Floats,
    Utilisation,
    bootstrap_utilisations,
    estimate_utilisation,
)
from stressbench.stats.intervals import Interval, unpaired_interval

RESAMPLES = 400
_SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LevelEstimate:
    """One congestion level: its utilisation of the switch, and the slowdown of the application (1: none).

    `draws`, shape (400,), is the bootstrap distribution of the utilisation.
    """

    level: Level
    utilisation: Utilisation
    slowdown: Interval
    draws: Floats


def slowdown_interval(alone_s: Sequence[float], beside_s: Sequence[float]) -> Interval:
    """Slowdown from contended and isolated times, s, neither empty: the median of all ratios (Hodges and Lehmann).

    The 95 % interval is that of Mann and Whitney; it is None for too few times (4 and 4 suffice, 5 and 2 do not).
    """
    logs = unpaired_interval(np.log(np.array(alone_s)), np.log(np.array(beside_s)))
    low, high = (None if bound is None else exp(bound) for bound in (logs.low, logs.high))
    return Interval(centre=exp(logs.centre), low=low, high=high)


@lru_cache(maxsize=512)
def level_estimates(profile: Profile, estimator: Estimator) -> tuple[LevelEstimate, ...]:
    """All congestion levels, ordered by mean latency. Raises Inconclusive if there are none."""
    if not profile.levels:
        raise Inconclusive(f"{profile.application} was not measured at any congestion level")
    ordered = sorted(profile.levels, key=lambda level: level.probes.array.mean())
    idle, packets = profile.idle.array, packet_service(profile)
    return tuple(
        LevelEstimate(
            level=level,
            utilisation=estimate_utilisation(idle, level.probes.array, estimator=estimator, packets=packets),
            slowdown=slowdown_interval(profile.alone_s, level.times_s),
            draws=bootstrap_utilisations(
                idle, level.probes.array, estimator=estimator, packets=packets, resamples=RESAMPLES, seed=_SEED + number
            ),
        )
        for number, level in enumerate(ordered)
    )


def impact_latencies(profile: Profile) -> Floats:
    """Probe latencies while the application ran, shape (n,), s. Raises Inconclusive if its impact was not measured."""
    if profile.impact is None:
        raise Inconclusive(f"the impact of {profile.application} was not measured")
    return profile.impact.probes.array


@lru_cache(maxsize=512)
def impact_utilisation(profile: Profile, estimator: Estimator) -> tuple[float, Floats]:
    """The utilisation that the application causes (0 to 1), and its bootstrap distribution, shape (400,).

    Raises Inconclusive if the estimate has no value. Drift is accepted, since applications have phases.
    """
    idle, latencies, packets = profile.idle.array, impact_latencies(profile), packet_service(profile)
    estimate = estimate_utilisation(idle, latencies, estimator=estimator, packets=packets, steady=False)
    if estimate.value is None:
        raise Inconclusive(f"{profile.application}: {estimate.reason}")
    return estimate.value, bootstrap_utilisations(
        idle, latencies, estimator=estimator, packets=packets, resamples=RESAMPLES, seed=_SEED - 1
    )


@lru_cache(maxsize=512)
def impact_phases(profile: Profile, estimator: Estimator) -> tuple[LoadPhase, ...]:
    """Phases of the application's utilisation. Raises Inconclusive as `impact_utilisation` does."""
    idle, latencies, packets = profile.idle.array, impact_latencies(profile), packet_service(profile)
    estimate = estimate_utilisation(idle, latencies, estimator=estimator, packets=packets, steady=False)
    if estimate.value is None:
        raise Inconclusive(f"{profile.application}: {estimate.reason}")
    times = None if profile.impact is None else profile.impact.probes.times
    return phases_of(idle, latencies, at_s=times, estimator=estimator, packets=packets, resamples=RESAMPLES)


def probe_effect(profile: Profile) -> Interval:
    """Slowdown of the application by the probes: run times with probes over those without.

    Raises Inconclusive if either was not measured.
    """
    if profile.impact is None or profile.impact.times_s is None:
        raise Inconclusive(f"{profile.application}: no run times with probes")
    if not profile.alone_s:
        raise Inconclusive(f"{profile.application}: no run times without probes")
    return slowdown_interval(profile.alone_s, profile.impact.times_s)


def require_comparable(profiles: Sequence[Profile]) -> None:
    """Raise Inconclusive if profiles come from several machines, or the probes of one did not use the network."""
    machines = sorted({profile.machine for profile in profiles})
    if len(machines) > 1:
        raise Inconclusive(f"profiles come from several machines: {', '.join(machines)}")
    for profile in profiles:
        if (reason := single_host_pair(profile)) is not None:
            raise Inconclusive(f"{profile.application}: {reason}")


def single_host_pair(profile: Profile) -> str | None:
    """A sentence if both ranks of a pair of probes were on one host; None if not, or if hosts are unknown."""
    pairs = profile.provenance.configuration.get("pairs", "").split()
    return next((same_host_reason(pair) for pair in pairs if "+" not in pair), None)


def links_used(profile: Profile) -> tuple[str, ...]:
    """Links and directions that the application uses; empty without link counters."""
    return tuple(link for link, share in (profile.links or {}).items() if share > 0)


def require_link_shares(profiles: Sequence[Profile]) -> list[Mapping[str, float]]:
    """Link shares of each profile. Raises Inconclusive if one has no link counters."""
    uncounted = [one.application for one in profiles if one.links is None]
    if uncounted:
        raise Inconclusive(f"no link counters of {', '.join(dict.fromkeys(uncounted))}")
    return [one.links or {} for one in profiles]


def busiest_link_share(used: Sequence[str], shares: Mapping[str, float]) -> float:
    """The largest share among the links that are `used`; 0 if there are none."""
    return max((shares.get(link, 0.0) for link in used), default=0.0)


def bootstrap_medians(times_s: Sequence[float], random: np.random.Generator) -> Floats:
    """Bootstrap distribution of the median, shape (400,), s."""
    times = np.array(times_s)
    medians: Floats = np.median(times[random.integers(len(times), size=(RESAMPLES, len(times)))], axis=1)
    return medians


def packet_service(profile: Profile) -> Service | None:
    """Service time of the packets that load the switch, all of one size; None if it is unknown."""
    packet_s = profile.probe.packet_s
    return None if packet_s is None else Service(mean_s=packet_s, variance_s2=0.0)


def estimator_for(profile: Profile) -> Estimator:
    """The default estimator, for the number of messages that each latency of the profile averages."""
    return Estimator(service=DEFAULT_ESTIMATOR.service, averaged=profile.probe.averaged)
