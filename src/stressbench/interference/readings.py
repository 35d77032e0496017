"""What a profile says once it is read: utilisations and slow-downs, made of its times."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp

import numpy as np

from stressbench.formats.profiles.profile import Level, Profile
from stressbench.interference.errors import CannotTell
from stressbench.interference.phases import Phase, phases_of
from stressbench.interference.probing import OURS, Floats, Reading, Utilisation, draws, utilisation
from stressbench.interference.queueing import Service
from stressbench.interference.sides import said_one_host
from stressbench.stats.intervals import Interval, unpaired_interval

RESAMPLES = 400
_SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LevelReading:
    """One compression: how busy it keeps the switch, and by which factor it slows the application (1: not at all).

    `draws`, shape (400,), are utilisations that might have been.
    """

    level: Level
    utilisation: Utilisation
    slowdown: Interval
    draws: Floats


def slowdown_of(alone_s: Sequence[float], beside_s: Sequence[float]) -> Interval:
    """Times beside something over times alone, none of them empty: the middle of all ratios, with Mann and Whitney's
    95 % interval, where the times are enough for one (4 and 4 are, 5 and 2 are not).
    """
    logs = unpaired_interval(np.log(np.array(alone_s)), np.log(np.array(beside_s)))
    low, high = (None if bound is None else exp(bound) for bound in (logs.low, logs.high))
    return Interval(centre=exp(logs.centre), low=low, high=high)


@lru_cache(maxsize=512)
def levels_of(profile: Profile, how: Reading) -> tuple[LevelReading, ...]:
    """All compressions, the least loaded first by mean latency. CannotTell where there are none."""
    if not profile.levels:
        raise CannotTell(f"{profile.application} was never run beside a compression")
    ordered = sorted(profile.levels, key=lambda level: level.probes.array.mean())
    idle, traffic = profile.idle.array, traffic_of(profile)
    return tuple(
        LevelReading(
            level=level,
            utilisation=utilisation(idle, level.probes.array, how=how, traffic=traffic),
            slowdown=slowdown_of(profile.alone_s, level.times_s),
            draws=draws(idle, level.probes.array, how=how, traffic=traffic, resamples=RESAMPLES, seed=_SEED + number),
        )
        for number, level in enumerate(ordered)
    )


def impact_latencies(profile: Profile) -> Floats:
    """Probes beside the application, shape (n,), s. CannotTell where nobody probed."""
    if profile.impact is None:
        raise CannotTell(f"{profile.application} was never probed")
    return profile.impact.probes.array


@lru_cache(maxsize=512)
def impact_of(profile: Profile, how: Reading) -> tuple[float, Floats]:
    """Utilisation that the application causes (0 to 1), and draws of it, shape (400,).

    CannotTell as `utilisation`, but for loads that drift: applications have phases, compressions have not.
    """
    idle, latencies, traffic = profile.idle.array, impact_latencies(profile), traffic_of(profile)
    found = utilisation(idle, latencies, how=how, traffic=traffic, steady=False)
    if found.value is None:
        raise CannotTell(f"{profile.application}: {found.reason}")
    return found.value, draws(idle, latencies, how=how, traffic=traffic, resamples=RESAMPLES, seed=_SEED - 1)


@lru_cache(maxsize=512)
def impact_phases(profile: Profile, how: Reading) -> tuple[Phase, ...]:
    """Phases of that utilisation. CannotTell as `impact_of`."""
    idle, latencies, traffic = profile.idle.array, impact_latencies(profile), traffic_of(profile)
    found = utilisation(idle, latencies, how=how, traffic=traffic, steady=False)
    if found.value is None:
        raise CannotTell(f"{profile.application}: {found.reason}")
    times = None if profile.impact is None else profile.impact.probes.times
    return phases_of(idle, latencies, at_s=times, how=how, traffic=traffic, resamples=RESAMPLES)


def probe_effect(profile: Profile) -> Interval:
    """What probes did to the application: its time with them over its time without. CannotTell where nobody looked."""
    if profile.impact is None or profile.impact.times_s is None:
        raise CannotTell(f"{profile.application}: no run times with probes")
    if not profile.alone_s:
        raise CannotTell(f"{profile.application}: no run times without probes")
    return slowdown_of(profile.alone_s, profile.impact.times_s)


def comparable(profiles: Sequence[Profile]) -> None:
    """CannotTell where they come from several machines, or where the probes of one saw no network."""
    machines = sorted({profile.machine for profile in profiles})
    if len(machines) > 1:
        raise CannotTell(f"profiles come from several machines: {', '.join(machines)}")
    for profile in profiles:
        if (blind := blind_pair(profile)) is not None:
            raise CannotTell(f"{profile.application}: {blind}")


def blind_pair(profile: Profile) -> str | None:
    """A sentence where a profile names the hosts of its pairs (`h0+h1`), and both of one are the same host."""
    pairs = profile.provenance.configuration.get("pairs", "").split()
    return next((said_one_host(pair) for pair in pairs if "+" not in pair), None)


def links_used(profile: Profile) -> tuple[str, ...]:
    """Links and directions that the application sends on, as far as anybody counted."""
    return tuple(link for link, share in (profile.links or {}).items() if share > 0)


def links_of(profiles: Sequence[Profile]) -> list[Mapping[str, float]]:
    """Shares of links that each takes. CannotTell where nobody counted those of one."""
    unknown = [one.application for one in profiles if one.links is None]
    if unknown:
        raise CannotTell(f"nobody counted the links of {', '.join(dict.fromkeys(unknown))}")
    return [one.links or {} for one in profiles]


def busiest(used: Sequence[str], shares: Mapping[str, float]) -> float:
    """The largest share of the links that are `used`; 0 where there are none."""
    return max((shares.get(link, 0.0) for link in used), default=0.0)


def medians_of(times_s: Sequence[float], random: np.random.Generator) -> Floats:
    """Medians of resampled times, shape (400,), s."""
    times = np.array(times_s)
    medians: Floats = np.median(times[random.integers(len(times), size=(RESAMPLES, len(times)))], axis=1)
    return medians


def traffic_of(profile: Profile) -> Service | None:
    """How long packets that load the switch take, all alike; None where nobody knows."""
    packet_s = profile.probe.packet_s
    return None if packet_s is None else Service(mean_s=packet_s, variance_s2=0.0)


def reading_of(profile: Profile) -> Reading:
    """Ours, knowing of how many messages each latency is the mean."""
    return Reading(service=OURS.service, averaged=profile.probe.averaged)
