"""Summary of a profile: latencies, utilisations, phases, congestion levels and links, or why they are missing.

Everything is derived from the samples of the profile (`profile_analysis`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stressbench.formats.profiles.profile import Configuration, Latencies, ProbeSettings, Profile, Provenance
from stressbench.interference.errors import Inconclusive
from stressbench.interference.impact_analysis import PhaseEstimate, phase_estimates
from stressbench.interference.probe_statistics import LatencySummary, latency_summary
from stressbench.interference.profile_analysis import (
    LevelEstimate,
    estimator_for,
    impact_phases,
    level_estimates,
    packet_service,
    probe_effect,
    single_host_pair,
)
from stressbench.interference.slowdown_curve import fit_curve
from stressbench.interference.utilisation import PAPER_ESTIMATOR, Estimator, Floats, Utilisation, estimate_utilisation
from stressbench.stats.intervals import CONFIDENCE, Interval

_POINTS = 41
_ROUND_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelSummary:
    """One congestion level: probe latencies, utilisation of the switch, and the slowdown from `runs` times."""

    configuration: Configuration
    probes: LatencySummary
    utilisation: Utilisation
    runs: int
    slowdown: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """A point of the monotone slowdown curve: the slowdown at a utilisation (0 to 1), with a 95 % interval."""

    utilisation: float
    slowdown: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileSummary:
    """The profile of one application on one machine, summarised.

    `beside` and the utilisations `ours` and `paper` (as Casas and Bronevetsky estimate it) are None without an impact.
    `alone_runs`: number of isolated times. `curve` can be empty. `missing`: what the profile lacks and why, in
    sentences.
    """

    application: str
    machine: str
    provenance: Provenance
    probe: ProbeSettings
    idle: LatencySummary
    beside: LatencySummary | None
    ours: Utilisation | None
    paper: Utilisation | None
    phases: tuple[PhaseEstimate, ...]
    alone_runs: int
    alone_median_s: float | None
    levels: tuple[LevelSummary, ...]
    curve: tuple[CurvePoint, ...]
    links: dict[str, float] | None
    effect: Interval | None
    missing: tuple[str, ...]


def summarise_profile(profile: Profile) -> ProfileSummary:
    """Summarise a profile. What cannot be derived is None or empty, with the reason in `missing`."""
    estimator, missing = estimator_for(profile), list(_missing_parts(profile))
    single_host = single_host_pair(profile)
    missing += [] if single_host is None else [single_host]
    levels = level_estimates(profile, estimator) if profile.levels else ()
    probes = None if profile.impact is None else profile.impact.probes
    curve: tuple[CurvePoint, ...] = ()
    if levels and single_host is None:
        try:
            curve = _curve(profile, estimator)
        except Inconclusive as reason:
            missing.append(str(reason))
    return ProfileSummary(
        application=profile.application,
        machine=profile.machine,
        provenance=profile.provenance,
        probe=profile.probe,
        idle=_summarised_latencies(profile.idle),
        beside=None if probes is None else _summarised_latencies(probes),
        ours=None if probes is None else _utilisation(profile, probes, estimator, single_host),
        paper=None if probes is None else _utilisation(profile, probes, PAPER_ESTIMATOR, single_host),
        phases=() if probes is None or single_host is not None else _phases(profile, probes, estimator),
        alone_runs=len(profile.alone_s),
        alone_median_s=float(np.median(profile.alone_s)) if profile.alone_s else None,
        levels=tuple(_level(one, single_host) for one in levels),
        curve=curve,
        links=None if profile.links is None else dict(profile.links),
        effect=_effect(profile),
        missing=tuple(missing),
    )


def probe_times(profile: Profile, probes: Latencies) -> Floats:
    """Start times of the probes, in order, s; evenly spaced if times are unknown."""
    if probes.times is not None:
        return probes.times
    return np.arange(len(probes.latencies_s)) * profile.probe.interval_s / profile.probe.pairs


def _missing_parts(profile: Profile) -> Iterator[str]:
    if profile.impact is None:
        yield (
            f"the impact of {profile.application} on the network was not measured: use `stressbench impact` with the "
            "same store"
        )
    if not profile.levels:
        yield (
            f"the slowdown of {profile.application} was not measured: use `stressbench compress` with the same store"
        )


def _summarised_latencies(latencies: Latencies) -> LatencySummary:
    """Statistics of latencies; those with unknown times count as uncorrelated."""
    values, times = latencies.array, latencies.times
    rounds = np.arange(len(values)) if times is None else np.floor(times / _ROUND_S).astype(np.int64)
    return latency_summary(values, rounds)


def _utilisation(profile: Profile, probes: Latencies, estimator: Estimator, single_host: str | None) -> Utilisation:
    if single_host is not None:
        return Utilisation(value=None, low=None, high=None, reason=single_host)
    packets = None if estimator is PAPER_ESTIMATOR else packet_service(profile)
    return estimate_utilisation(profile.idle.array, probes.array, estimator=estimator, packets=packets, steady=False)


def _phases(profile: Profile, probes: Latencies, estimator: Estimator) -> tuple[PhaseEstimate, ...]:
    try:
        phases = impact_phases(profile, estimator)
    except Inconclusive:
        return ()
    return phase_estimates(phases, probe_times(profile, probes))


def _level(one: LevelEstimate, single_host: str | None) -> LevelSummary:
    unknown = Utilisation(value=None, low=None, high=None, reason=single_host)
    return LevelSummary(
        configuration=one.level.configuration, probes=_summarised_latencies(one.level.probes),
        utilisation=one.utilisation if single_host is None else unknown, runs=len(one.level.times_s),
        slowdown=one.slowdown,
    )  # fmt: skip


def _curve(profile: Profile, estimator: Estimator) -> tuple[CurvePoint, ...]:
    fit = fit_curve(profile, estimator)
    at = np.linspace(0.0, fit.curve.top, _POINTS)
    centre = np.exp(fit.curve.log_at(at))
    resampled_slowdowns = np.exp(np.stack([curve.log_at(at) for curve in fit.resampled]))
    low, high = np.quantile(resampled_slowdowns, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2), axis=0)
    return tuple(
        CurvePoint(utilisation=float(u), slowdown=float(s), low=float(min(a, s)), high=float(max(b, s)))
        for u, s, a, b in zip(at, centre, low, high, strict=True)
    )


def _effect(profile: Profile) -> Interval | None:
    try:
        return probe_effect(profile)
    except Inconclusive:
        return None
