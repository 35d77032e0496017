"""Made-up profiles: from numbers written down, and from a world in which co-runs can be computed."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from stressbench.sensitivity.compression import Configuration
from stressbench.sensitivity.profile import Impact, Latencies, Level, ProbeSettings, Profile, Provenance

SERVICE_S = 1e-6
_PROVENANCE = Provenance(
    measured_at=datetime(2026, 3, 1, tzinfo=UTC), version="0.1.0", command=("./app", "-n", "3"), nodes=4, ranks=16,
    configuration={"probe": "1 KiB"},
)  # fmt: skip
_PROBE = ProbeSettings(pairs=2, message_bytes=1024, interval_s=0.1, averaged=1)


def configuration(number: int) -> Configuration:
    return Configuration(partners=1, messages=1, pause_s=1.0 / (1 + number))


def level(number: int, latencies_s: Sequence[float], slowdown: float, *, runs: int = 5) -> Level:
    """Every run takes the same time, `slowdown` times the one second of a run alone."""
    return Level(
        configuration=configuration(number),
        probes=Latencies(latencies_s=tuple(latencies_s)),
        times_s=(slowdown,) * runs,
    )


def profile(
    name: str, *, idle_s: Sequence[float], impact_s: Sequence[float] | None = None, at_s: Sequence[float] | None = None,
    levels: Sequence[Level] = (), links: Mapping[str, float] | None = None, machine: str = "lab", runs: int = 5,
) -> Profile:  # fmt: skip
    times = None if at_s is None else tuple(at_s)
    return Profile(
        application=name, machine=machine, provenance=_PROVENANCE, probe=_PROBE,
        idle=Latencies(latencies_s=tuple(idle_s)), alone_s=(1.0,) * runs,
        impact=None if impact_s is None else Impact(probes=Latencies(latencies_s=tuple(impact_s), at_s=times)),
        levels=tuple(levels), links=links,
    )  # fmt: skip


def sample(utilisation: float, *, count: int = 60) -> tuple[float, ...]:
    """Latencies of a switch that is so busy by M/G/1: of mean and variation that are exact, not drawn.

    Service: evenly from 0.9 to 1.1 us; the wait is spread likewise, so that densities overlap.
    """
    even = np.resize([-1.0, 1.0, -0.5, 0.5, 0.0, 0.0], count)
    service = SERVICE_S * (1 + 0.1 * even)
    variation = float(service.var(ddof=1)) / SERVICE_S**2
    wait = utilisation / (1 - utilisation) * SERVICE_S * (1 + variation) / 2
    return tuple((service + wait * (1 + 0.3 * even)).tolist())


def victim(
    slowdown_at: Mapping[float, float], *, name: str = "victim", links: Mapping[str, float] | None = None
) -> Profile:
    """With a compression for each utilisation."""
    return profile(
        name, idle_s=sample(0.0), impact_s=sample(0.3), links=links,
        levels=[level(number, sample(at), slowdown) for number, (at, slowdown) in enumerate(slowdown_at.items())],
    )  # fmt: skip


def aggressor(utilisation: float, *, name: str = "aggressor", links: Mapping[str, float] | None = None) -> Profile:
    return profile(name, idle_s=sample(0.0), impact_s=sample(utilisation), links=links)
