"""Profiles from measurements, by themselves or as updates of a stored profile of the application."""

from dataclasses import replace

from stressbench.interference.compression_analysis import CompressionData
from stressbench.interference.impact_analysis import ImpactData
from stressbench.interference.probe_statistics import is_significant_drift, latency_drift
from stressbench.interference.probes import MESSAGES_PER_LATENCY, ProbeSchedule, ProbeSeries, merge_pairs
from stressbench.interference.profile import Impact, Latencies, Level, ProbeSettings, Profile, Provenance
from stressbench.interference.queueing import Service


def probe_settings(probing: ProbeSchedule, traffic: Service | None) -> ProbeSettings:
    """The probe settings of a profile; `traffic`: service time of the packets that load the switch, None: unknown."""
    return ProbeSettings(
        pairs=probing.pairs, message_bytes=probing.message_bytes, interval_s=probing.interval_s,
        averaged=MESSAGES_PER_LATENCY,
        packet_s=None if traffic is None else traffic.mean_s,
    )  # fmt: skip


def levels_incompatibility(kept: Profile, now: ProbeSettings) -> str | None:
    """Why the congestion levels of a stored profile cannot be combined with new probes; None where they can."""
    if not kept.levels or kept.probe == now:
        return None
    return (
        f"the congestion levels of {kept.application} were probed by {_described(kept.probe)}, not by {_described(now)}"
    )


def impact_incompatibility(kept: Profile, now: ProbeSettings) -> str | None:
    """Why the impact of a stored profile cannot be combined with new congestion levels; None where it can."""
    if kept.impact is None or kept.probe == now:
        return None
    return f"the impact of {kept.application} was probed by {_described(kept.probe)}, not by {_described(now)}"


def _described(probe: ProbeSettings) -> str:
    pairs = "1 pair" if probe.pairs == 1 else f"{probe.pairs} pairs"
    packets = "" if probe.packet_s is None else f", packets of {probe.packet_s:g} s"
    return f"{pairs}, {probe.message_bytes} B, every {probe.interval_s:g} s, the mean of {probe.averaged}{packets}"


def impact_profile(
    measured: ImpactData, *, application: str, machine: str, provenance: Provenance, kept: Profile | None = None,
    by_rounds: bool = False,
) -> Profile:  # fmt: skip
    """The profile of an impact measurement, as an update of `kept` if there is one.

    Isolated times are added to those of `kept`; its congestion levels are retained, and so are its link shares where
    the measurement has none. `by_rounds`: the times of congestion levels are those of a workload's rounds. The impact
    measurement times whole launches, which are therefore left out where there are congestion levels.
    """
    foreign = by_rounds and kept is not None and bool(kept.levels)
    return Profile(
        application=application,
        machine=machine,
        provenance=provenance,
        probe=probe_settings(measured.probing, measured.traffic),
        idle=_latencies(merge_pairs(measured.idle)),
        alone_s=(*(() if kept is None else kept.alone_s), *(() if foreign else measured.without_s)),
        impact=Impact(
            probes=_latencies(merge_pairs(measured.beside)), times_s=None if foreign else measured.with_probes_s or None
        ),
        levels=() if kept is None else kept.levels,
        links=measured.links if measured.links is not None or kept is None else kept.links,
    )  # fmt: skip


def compression_profile(
    measured: CompressionData, *, application: str, machine: str, provenance: Provenance, kept: Profile | None = None,
    by_rounds: bool = False,
) -> Profile:  # fmt: skip
    """The profile of a compression measurement, as an update of `kept` if there is one.

    Congestion levels and isolated times replace those of `kept`; its impact and link shares are retained. With an
    impact, the idle latencies of both measurements are concatenated, so that a machine that changed in between shows as
    drift. `by_rounds`: as in `impact_profile`; run times in the impact are dropped, since they are those of launches.
    """
    impact = None if kept is None else kept.impact
    if impact is not None and by_rounds:
        impact = replace(impact, times_s=None)
    idle = _latencies(merge_pairs(measured.idle))
    return Profile(
        application=application,
        machine=machine,
        provenance=provenance,
        probe=probe_settings(measured.probing, measured.traffic),
        idle=idle if kept is None or impact is None else _joined(kept.idle, idle),
        alone_s=measured.alone_s,
        impact=impact,
        levels=tuple(
            Level(
                configuration=one.configuration,
                probes=_latencies(merge_pairs(one.probes)),
                times_s=one.times_s,
                links=one.links,
            )
            for one in measured.kept
        ),
        links=None if kept is None else kept.links,
    )


def idle_drift_since_impact(kept: Profile, measured: CompressionData) -> str | None:
    """A sentence where idle latencies differ significantly from those of the stored impact; else None."""
    if kept.impact is None:
        return None
    drift = latency_drift(kept.idle.array, merge_pairs(measured.idle).latencies_s)
    if not is_significant_drift(drift):
        return None
    return (
        f"idle latencies are {drift.centre:.2f} times those of the stored impact of {kept.application}: the machine "
        "has changed since; repeat both measurements"
    )


def _joined(earlier: Latencies, later: Latencies) -> Latencies:
    """Both series, one after the other; without times where one of them has none."""
    latencies = (*earlier.array.tolist(), *later.array.tolist())
    before, after = earlier.times, later.times
    if before is None or after is None:
        return Latencies(latencies_s=latencies)
    return Latencies(latencies_s=latencies, at_s=(*before.tolist(), *(before[-1] + after - min(0, after[0])).tolist()))


def _latencies(probes: ProbeSeries) -> Latencies:
    return Latencies(latencies_s=tuple(probes.latencies_s.tolist()), at_s=tuple(probes.at_s.tolist()))
