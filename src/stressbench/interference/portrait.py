"""What a profile says, all of it at once: latencies, utilisations, phases, compressions, links, or why nobody can tell.

Pure: a profile in, numbers and sentences out; derived anew each time, as `readings` does.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stressbench.formats.profiles.profile import Configuration, Latencies, ProbeSettings, Profile, Provenance
from stressbench.interference.curves import fit
from stressbench.interference.errors import CannotTell
from stressbench.interference.finding import Stretch
from stressbench.interference.phases import Phase
from stressbench.interference.probing import PAPER, Floats, Reading, Utilisation, utilisation
from stressbench.interference.readings import (
    LevelReading,
    blind_pair,
    impact_phases,
    levels_of,
    probe_effect,
    reading_of,
    traffic_of,
)
from stressbench.interference.sides import SHARES
from stressbench.stats.intervals import CONFIDENCE, Interval
from stressbench.stats.percentiles import Percentile, grouped_samples, percentile_of

_POINTS = 41
_ROUND_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """One-way latencies, s: mean and percentiles 50, 95, 99; those of one second count as resembling each other."""

    count: int
    mean_s: float
    percentiles: tuple[Percentile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSaid:
    """One compression: its probes, the switch's utilisation, and times of `runs` beside it over those alone."""

    configuration: Configuration
    probes: Spread
    utilisation: Utilisation
    runs: int
    slowdown: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Of the curve that never falls: the slow-down at a utilisation (0 to 1), with a 95 % interval."""

    utilisation: float
    slowdown: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Portrait:
    """What is known of one application on one machine.

    `beside` and both utilisations (ours, and as the paper reads them) are None without an impact; `phases` are s from
    its start; `alone_runs` how many times alone there are; `curve` may be empty; `missing` says why, in sentences.
    """

    application: str
    machine: str
    provenance: Provenance
    probe: ProbeSettings
    idle: Spread
    beside: Spread | None
    ours: Utilisation | None
    paper: Utilisation | None
    phases: tuple[Stretch, ...]
    alone_runs: int
    alone_median_s: float | None
    levels: tuple[LevelSaid, ...]
    curve: tuple[CurvePoint, ...]
    links: dict[str, float] | None
    effect: Interval | None
    missing: tuple[str, ...]


def portrait_of(profile: Profile) -> Portrait:
    """All of it; raises nothing."""
    how, missing = reading_of(profile), list(_absent(profile))
    blind = blind_pair(profile)
    missing += [] if blind is None else [blind]
    levels = levels_of(profile, how) if profile.levels else ()
    probes = None if profile.impact is None else profile.impact.probes
    curve: tuple[CurvePoint, ...] = ()
    if levels and blind is None:
        try:
            curve = _curve(profile, how)
        except CannotTell as reason:
            missing.append(str(reason))
    return Portrait(
        application=profile.application,
        machine=profile.machine,
        provenance=profile.provenance,
        probe=profile.probe,
        idle=_spread(profile.idle),
        beside=None if probes is None else _spread(probes),
        ours=None if probes is None else _utilisation(profile, probes, how, blind),
        paper=None if probes is None else _utilisation(profile, probes, PAPER, blind),
        phases=() if probes is None or blind is not None else _phases(profile, probes, how),
        alone_runs=len(profile.alone_s),
        alone_median_s=float(np.median(profile.alone_s)) if profile.alone_s else None,
        levels=tuple(_level(one, blind) for one in levels),
        curve=curve,
        links=None if profile.links is None else dict(profile.links),
        effect=_effect(profile),
        missing=tuple(missing),
    )


def probe_times(profile: Profile, probes: Latencies) -> Floats:
    """When each probe was sent, in order, s; where nobody knows they count as sent one after the other, evenly."""
    if probes.times is not None:
        return probes.times
    return np.arange(len(probes.latencies_s)) * profile.probe.interval_s / profile.probe.pairs


def _absent(profile: Profile) -> Iterator[str]:
    if profile.impact is None:
        yield (
            f"what {profile.application} does to the network was never measured: `stressbench impact` does, into the "
            "same store"
        )
    if not profile.levels:
        yield (
            f"what {profile.application} suffers was never measured: `stressbench compress` does, into the same store"
        )


def _spread(latencies: Latencies) -> Spread:
    """Those of unknown times stand each for itself."""
    values, times = latencies.array, latencies.times
    rounds = np.arange(len(values)) if times is None else np.floor(times / _ROUND_S).astype(np.int64)
    grouped = grouped_samples(values, rounds)
    found = (percentile_of(grouped, share) for share in SHARES)
    return Spread(
        count=len(values), mean_s=float(values.mean()), percentiles=tuple(one for one in found if one is not None)
    )  # fmt: skip


def _utilisation(profile: Profile, probes: Latencies, how: Reading, blind: str | None) -> Utilisation:
    if blind is not None:
        return Utilisation(value=None, low=None, high=None, reason=blind)
    traffic = None if how is PAPER else traffic_of(profile)
    return utilisation(profile.idle.array, probes.array, how=how, traffic=traffic, steady=False)


def _phases(profile: Profile, probes: Latencies, how: Reading) -> tuple[Stretch, ...]:
    try:
        phases = impact_phases(profile, how)
    except CannotTell:
        return ()
    times = probe_times(profile, probes)
    began, whole = float(times[0]), float(times[-1] - times[0])
    found = []
    for phase in phases:
        low, high = _bounds(phase)
        ended = began + phase.share * whole
        found.append(Stretch(began_s=began, ended_s=ended, utilisation=phase.utilisation, low=low, high=high))
        began = ended
    return tuple(found)


def _bounds(phase: Phase) -> tuple[float, float]:
    low, high = np.quantile(phase.draws, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return min(float(low), phase.utilisation), max(float(high), phase.utilisation)


def _level(one: LevelReading, blind: str | None) -> LevelSaid:
    unseen = Utilisation(value=None, low=None, high=None, reason=blind)
    return LevelSaid(
        configuration=one.level.configuration, probes=_spread(one.level.probes),
        utilisation=one.utilisation if blind is None else unseen, runs=len(one.level.times_s), slowdown=one.slowdown,
    )  # fmt: skip


def _curve(profile: Profile, how: Reading) -> tuple[CurvePoint, ...]:
    found = fit(profile, how)
    at = np.linspace(0.0, found.curve.top, _POINTS)
    centre = np.exp(found.curve.log_at(at))
    might = np.exp(np.stack([curve.log_at(at) for curve in found.resampled]))
    low, high = np.quantile(might, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2), axis=0)
    return tuple(
        CurvePoint(utilisation=float(u), slowdown=float(s), low=float(min(a, s)), high=float(max(b, s)))
        for u, s, a, b in zip(at, centre, low, high, strict=True)
    )


def _effect(profile: Profile) -> Interval | None:
    try:
        return probe_effect(profile)
    except CannotTell:
        return None
