"""Synthetic profiles: from given numbers, and from a model world in which co-runs can be computed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from stressbench.formats.profiles.profile import (
    Configuration,
    Impact,
    Latencies,
    Level,
    ProbeSettings,
    Profile,
    Provenance,
    to_json,
)

SERVICE_S = 1e-6
_PROVENANCE = Provenance(
    measured_at=datetime(2026, 3, 1, tzinfo=UTC), version="0.1.0", command=("./app", "-n", "3"), nodes=4, ranks=16,
    configuration={"probe": "1 KiB"},
)  # fmt: skip
_PROBE = ProbeSettings(pairs=2, message_bytes=1024, interval_s=0.1, averaged=1)


def configuration(number: int) -> Configuration:
    return Configuration(partners=1, messages=1, pause_s=1.0 / (1 + number))


def level(number: int, latencies_s: Sequence[float], slowdown: float, *, runs: int = 5) -> Level:
    """All runs take `slowdown` times the isolated time of one second."""
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
    """Latencies of a switch with this utilisation in an M/G/1 queue, with exact rather than random mean and variation.

    Service times are uniform from 0.9 to 1.1 us; waiting times are spread likewise, so that densities overlap.
    """
    even = np.resize([-1.0, 1.0, -0.5, 0.5, 0.0, 0.0], count)
    service = SERVICE_S * (1 + 0.1 * even)
    variation = float(service.var(ddof=1)) / SERVICE_S**2
    wait = utilisation / (1 - utilisation) * SERVICE_S * (1 + variation) / 2
    return tuple((service + wait * (1 + 0.3 * even)).tolist())


def victim(
    slowdown_at: Mapping[float, float], *, name: str = "victim", links: Mapping[str, float] | None = None
) -> Profile:
    """A victim with a compression for each utilisation."""
    return profile(
        name, idle_s=sample(0.0), impact_s=sample(0.3), links=links,
        levels=[level(number, sample(at), slowdown) for number, (at, slowdown) in enumerate(slowdown_at.items())],
    )  # fmt: skip


def aggressor(utilisation: float, *, name: str = "aggressor", links: Mapping[str, float] | None = None) -> Profile:
    return profile(name, idle_s=sample(0.0), impact_s=sample(utilisation), links=links)


@dataclass(frozen=True, kw_only=True)
class Application:
    """An application of the model world: `phases` are (share of time, utilisation) in turn.

    A fully loaded switch slows it down by `suffers`, along utilisation to the power of `bend`.
    """

    name: str
    phases: tuple[tuple[float, float], ...]
    suffers: float
    bend: float

    def slowdown_at(self, utilisation: float) -> float:
        return 1 + self.suffers * utilisation**self.bend


def drawn(utilisation: float, count: int, random: np.random.Generator) -> list[float]:
    """Random latencies of an M/G/1 switch; waiting times are exponential."""
    service = SERVICE_S * random.gamma(25, 1 / 25, count)
    waiting = random.random(count) < utilisation
    return list(service + waiting * random.exponential(SERVICE_S * 1.04 / 2 / (1 - utilisation), count))


def profile_in_world(application: Application, *, seed: int, probes: int = 600) -> Profile:
    """The profile that an experiment would find, with noisy probes and run times within a percent."""
    random = np.random.default_rng(seed)
    impact = [value for share, busy in application.phases for value in drawn(busy, round(share * probes), random)]
    busy_levels = np.linspace(0.05, 0.92, 20)
    return Profile(
        application=application.name, machine="world", provenance=_PROVENANCE, probe=_PROBE,
        idle=Latencies(latencies_s=tuple(drawn(0.0, probes, random))),
        alone_s=tuple((100 * random.lognormal(0, 0.01, 6)).tolist()),
        impact=Impact(probes=Latencies(latencies_s=tuple(impact))),
        levels=tuple(
            Level(
                configuration=configuration(number),
                probes=Latencies(latencies_s=tuple(drawn(busy, probes, random))),
                times_s=tuple((100 * application.slowdown_at(busy) * random.lognormal(0, 0.01, 6)).tolist()),
            )
            for number, busy in enumerate(busy_levels)
        ),
    )  # fmt: skip


def co_run(victim: Application, aggressors: Sequence[Application], *, steps: int = 20_000) -> float:
    """Time for work that takes the victim 1 in isolation, while aggressors repeat their phases; in small steps.

    Aggressors leave the product of what each of them leaves. The lengths of their rounds are incommensurable.
    """
    done, time = 0.0, 0.0
    rounds = [1 / 7 / (1 + number * 0.318) for number in range(len(aggressors))]
    while done < 1:
        left = 1.0
        for aggressor, length in zip(aggressors, rounds, strict=True):
            place = time % length / length
            for share, busy in aggressor.phases:
                if place < share:
                    left *= 1 - busy
                    break
                place -= share
        time += 1 / steps
        done += 1 / steps / victim.slowdown_at(1 - left)
    return time


def write_profile(folder: Path, one: Profile, name: str | None = None) -> Path:
    path = folder / f"{name or one.application}.json"
    path.write_text(to_json(one), encoding="utf-8")
    return path
