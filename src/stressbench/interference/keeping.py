"""What a measurement with probes leaves behind: a profile, alone or with what was known of the application before."""

from dataclasses import replace

from stressbench.formats.profiles.profile import Impact, Latencies, Level, ProbeSettings, Profile, Provenance
from stressbench.interference.finding import Measured
from stressbench.interference.pingpongs import AVERAGED, Probes, Probing, pooled
from stressbench.interference.queueing import Service
from stressbench.interference.sides import drift_between, has_moved
from stressbench.interference.suffering import Compressed


def settings_of(probing: Probing, traffic: Service | None) -> ProbeSettings:
    """As profiles name them; `traffic`: packets of whoever loads the switch, where somebody knows."""
    return ProbeSettings(
        pairs=probing.pairs, message_bytes=probing.message_bytes, interval_s=probing.interval_s, averaged=AVERAGED,
        packet_s=None if traffic is None else traffic.mean_s,
    )  # fmt: skip


def differences(kept: Profile, now: ProbeSettings) -> str | None:
    """Why compressions that are known already cannot be read with new probes; None where they can, or are not."""
    if not kept.levels or kept.probe == now:
        return None
    return f"compressions of {kept.application} were read by {_said(kept.probe)}, in place of {_said(now)}"


def impact_differences(kept: Profile, now: ProbeSettings) -> str | None:
    """Why an impact that is known already cannot stand beside new compressions; None where it can, or is not."""
    if kept.impact is None or kept.probe == now:
        return None
    return f"the impact of {kept.application} was read by {_said(kept.probe)}, in place of {_said(now)}"


def _said(probe: ProbeSettings) -> str:
    pairs = "1 pair" if probe.pairs == 1 else f"{probe.pairs} pairs"
    packets = "" if probe.packet_s is None else f", packets of {probe.packet_s:g} s"
    return f"{pairs}, {probe.message_bytes} B, every {probe.interval_s:g} s, the mean of {probe.averaged}{packets}"


def profile_of(
    measured: Measured, *, application: str, machine: str, provenance: Provenance, kept: Profile | None = None,
    by_rounds: bool = False,
) -> Profile:  # fmt: skip
    """New latencies; run times alone are added to those of `kept`, whose compressions stay, and whose links do where
    nobody counted.

    `by_rounds`: times beside compressions are those of a workload's rounds, so those of whole launches stay out where
    there are compressions.
    """
    foreign = by_rounds and kept is not None and bool(kept.levels)
    return Profile(
        application=application,
        machine=machine,
        provenance=provenance,
        probe=settings_of(measured.probing, measured.traffic),
        idle=_latencies(pooled(measured.idle)),
        alone_s=(*(() if kept is None else kept.alone_s), *(() if foreign else measured.without_s)),
        impact=Impact(
            probes=_latencies(pooled(measured.beside)), times_s=None if foreign else measured.with_probes_s or None
        ),
        levels=() if kept is None else kept.levels,
        links=measured.links if measured.links is not None or kept is None else kept.links,
    )  # fmt: skip


def compression_profile(
    measured: Compressed, *, application: str, machine: str, provenance: Provenance, kept: Profile | None = None,
    by_rounds: bool = False,
) -> Profile:  # fmt: skip
    """New compressions and run times alone in place of those of `kept`, whose impact and links stay.

    With an impact, idle latencies of both measurements are kept, one after the other: each was read by its own, and a
    machine that changed in between counts as one that drifted. `by_rounds` as for `profile_of`: run times of whole
    launches, which the impact may hold, do not go with those of rounds.
    """
    impact = None if kept is None else kept.impact
    if impact is not None and by_rounds:
        impact = replace(impact, times_s=None)
    idle = _latencies(pooled(measured.idle))
    return Profile(
        application=application,
        machine=machine,
        provenance=provenance,
        probe=settings_of(measured.probing, measured.traffic),
        idle=idle if kept is None or impact is None else _joined(kept.idle, idle),
        alone_s=measured.alone_s,
        impact=impact,
        levels=tuple(
            Level(
                configuration=one.configuration,
                probes=_latencies(pooled(one.probes)),
                times_s=one.times_s,
                links=one.links,
            )
            for one in measured.kept
        ),
        links=None if kept is None else kept.links,
    )


def moved_since(kept: Profile, measured: Compressed) -> str | None:
    """That the idle machine is not the one that the known impact was read against; None where nothing shows it."""
    if kept.impact is None:
        return None
    drift = drift_between(kept.idle.array, pooled(measured.idle).latencies_s)
    if not has_moved(drift):
        return None
    return (
        f"idle latencies are {drift.centre:.2f} times those of the impact that is known of {kept.application}: the "
        "machine changed since; measure both anew"
    )


def _joined(earlier: Latencies, later: Latencies) -> Latencies:
    """One after the other; without times where one of both has none."""
    latencies = (*earlier.array.tolist(), *later.array.tolist())
    before, after = earlier.times, later.times
    if before is None or after is None:
        return Latencies(latencies_s=latencies)
    return Latencies(latencies_s=latencies, at_s=(*before.tolist(), *(before[-1] + after - min(0, after[0])).tolist()))


def _latencies(probes: Probes) -> Latencies:
    return Latencies(latencies_s=tuple(probes.latencies_s.tolist()), at_s=tuple(probes.at_s.tolist()))
