"""Profiles from measurements, by themselves or as updates of a stored profile of the application."""

from dataclasses import replace

from stressbench.formats.profiles.profile import Impact, Latencies, Level, ProbeSettings, Profile, Provenance
from stressbench.interference.compression_analysis import CompressionData
from stressbench.interference.impact_analysis import ImpactData
from stressbench.interference.probe_statistics import is_significant_drift, latency_drift
from stressbench.interference.probes import MESSAGES_PER_LATENCY, ProbeSchedule, ProbeSeries, merge_pairs
from stressbench.interference.queueing import Service
from stressbench.interference.utilisation import Floats

_DIGITS = 12
"""Of a second. Latencies are halves of times that are whole nanoseconds."""


def probe_settings(probing: ProbeSchedule, packets: Service | None) -> ProbeSettings:
    """The probe settings of a profile; `packets`: service time of the packets that load the switch, None: unknown."""
    return ProbeSettings(
        pairs=probing.pairs, message_bytes=probing.message_bytes, interval_s=probing.interval_s,
        averaged=MESSAGES_PER_LATENCY,
        packet_s=None if packets is None else packets.mean_s,
    )  # fmt: skip


def levels_incompatibility(stored: Profile, now: ProbeSettings) -> str | None:
    """Why the congestion levels of a stored profile cannot be combined with new probes; None if they can."""
    if not stored.levels or stored.probe == now:
        return None
    probed = f"were probed by {_described(stored.probe)}, not by {_described(now)}"
    return f"the congestion levels of {stored.application} {probed}"


def impact_incompatibility(stored: Profile, now: ProbeSettings) -> str | None:
    """Why the impact of a stored profile cannot be combined with new congestion levels; None if it can."""
    if stored.impact is None or stored.probe == now:
        return None
    return f"the impact of {stored.application} was probed by {_described(stored.probe)}, not by {_described(now)}"


def _described(probe: ProbeSettings) -> str:
    pairs = "1 pair" if probe.pairs == 1 else f"{probe.pairs} pairs"
    packets = "" if probe.packet_s is None else f", packets of {probe.packet_s:g} s"
    return f"{pairs}, {probe.message_bytes} B, every {probe.interval_s:g} s, the mean of {probe.averaged}{packets}"


def impact_profile(
    data: ImpactData, *, application: str, machine: str, provenance: Provenance, stored: Profile | None = None,
    by_rounds: bool = False,
) -> Profile:  # fmt: skip
    """The profile of an impact measurement, as an update of `stored` if there is one.

    Isolated times are added to those of `stored`; its congestion levels are retained, and so are its link shares if
    the measurement has none. `by_rounds`: the times of congestion levels are those of a workload's rounds. If there are
    congestion levels, the times of the impact measurement are then left out, since they are those of whole launches.
    """
    times_incompatible = by_rounds and stored is not None and bool(stored.levels)
    return Profile(
        application=application,
        machine=machine,
        provenance=provenance,
        probe=probe_settings(data.probing, data.packets),
        idle=_latencies(merge_pairs(data.idle)),
        alone_s=(*(() if stored is None else stored.alone_s), *(() if times_incompatible else data.without_s)),
        impact=Impact(
            probes=_latencies(merge_pairs(data.beside)),
            times_s=None if times_incompatible else data.with_probes_s or None,
        ),
        levels=() if stored is None else stored.levels,
        links=data.links if data.links is not None or stored is None else stored.links,
    )  # fmt: skip


def compression_profile(
    data: CompressionData, *, application: str, machine: str, provenance: Provenance, stored: Profile | None = None,
    by_rounds: bool = False,
) -> Profile:  # fmt: skip
    """The profile of a compression measurement, as an update of `stored` if there is one.

    Congestion levels and isolated times replace those of `stored`; its impact and link shares are retained. With an
    impact, the idle latencies of both measurements are concatenated, so that a machine that changed in between shows as
    drift. `by_rounds`: as in `impact_profile`; run times in the impact are dropped, since they are those of launches.
    """
    impact = None if stored is None else stored.impact
    if impact is not None and by_rounds:
        impact = replace(impact, times_s=None)
    idle = _latencies(merge_pairs(data.idle))
    return Profile(
        application=application,
        machine=machine,
        provenance=provenance,
        probe=probe_settings(data.probing, data.packets),
        idle=idle if stored is None or impact is None else _concatenated(stored.idle, idle),
        alone_s=data.alone_s,
        impact=impact,
        levels=tuple(
            Level(
                configuration=one.configuration,
                probes=_latencies(merge_pairs(one.probes)),
                times_s=one.times_s,
                links=one.links,
            )
            for one in data.completed_levels
        ),
        links=None if stored is None else stored.links,
    )


def idle_drift_since_impact(stored: Profile, data: CompressionData) -> str | None:
    """A sentence if idle latencies differ significantly from those of the stored impact; else None."""
    if stored.impact is None:
        return None
    drift = latency_drift(stored.idle.array, merge_pairs(data.idle).latencies_s)
    if not is_significant_drift(drift):
        return None
    return (
        f"idle latencies are {drift.centre:.2f} times those of the stored impact of {stored.application}: the machine "
        "has changed since; repeat both measurements"
    )


def _concatenated(earlier: Latencies, later: Latencies) -> Latencies:
    """Both series, one after the other; without times if one of them has none."""
    latencies = (*earlier.array.tolist(), *later.array.tolist())
    before, after = earlier.times, later.times
    if before is None or after is None:
        return Latencies(latencies_s=latencies)
    known = None not in (earlier.pair, later.pair, earlier.stands_for_s, later.stands_for_s)
    there, there_later = earlier.directions, later.directions
    return Latencies(
        latencies_s=latencies, at_s=(*before.tolist(), *(before[-1] + after - min(0, after[0])).tolist()),
        forward_s=(
            None if there is None or there_later is None else (*there[0].tolist(), *there_later[0].tolist())
        ),
        pair=(*earlier.pairs.tolist(), *later.pairs.tolist()) if known else None,
        stands_for_s=(*earlier.weights.tolist(), *later.weights.tolist()) if known else None,
    )  # fmt: skip


def _latencies(probes: ProbeSeries) -> Latencies:
    return Latencies(
        latencies_s=_rounded(probes.latencies_s), at_s=_rounded(probes.at_s),
        forward_s=None if probes.forward_s is None else _rounded(probes.forward_s),
        pair=tuple(probes.pair.tolist()), stands_for_s=_rounded(probes.stands_for_s),
    )  # fmt: skip


def _rounded(times_s: Floats) -> tuple[float, ...]:
    """Times, s, without the digits that only arithmetic added."""
    return tuple(times_s.round(_DIGITS).tolist())
