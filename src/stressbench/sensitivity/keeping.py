"""What a measurement with probes leaves behind: a profile, alone or with what was known of the application before."""

from stressbench.sensitivity.finding import Measured
from stressbench.sensitivity.pingpongs import AVERAGED, Probes, Probing, pooled
from stressbench.sensitivity.profile import Impact, Latencies, ProbeSettings, Profile, Provenance


def settings_of(probing: Probing) -> ProbeSettings:
    """As profiles name them."""
    return ProbeSettings(
        pairs=probing.pairs, message_bytes=probing.message_bytes, interval_s=probing.interval_s, averaged=AVERAGED
    )


def differences(kept: Profile, probing: Probing) -> str | None:
    """Why compressions that are known already cannot be read with new probes; None where they can, or are not."""
    now = settings_of(probing)
    if not kept.levels or kept.probe == now:
        return None
    return f"compressions of {kept.application} were read by {_said(kept.probe)}, in place of {_said(now)}"


def _said(probe: ProbeSettings) -> str:
    pairs = "1 pair" if probe.pairs == 1 else f"{probe.pairs} pairs"
    return f"{pairs}, {probe.message_bytes} B, every {probe.interval_s:g} s, the mean of {probe.averaged}"


def profile_of(
    measured: Measured, *, application: str, machine: str, provenance: Provenance, kept: Profile | None = None
) -> Profile:
    """New latencies; run times alone are added to those of `kept`, whose compressions and links stay."""
    times = measured.with_probes_s
    return Profile(
        application=application,
        machine=machine,
        provenance=provenance,
        probe=settings_of(measured.probing),
        idle=_latencies(pooled(measured.idle)),
        alone_s=(*(() if kept is None else kept.alone_s), *measured.without_s),
        impact=Impact(probes=_latencies(pooled(measured.beside)), times_s=times or None),
        levels=() if kept is None else kept.levels,
        links=None if kept is None else kept.links,
    )


def _latencies(probes: Probes) -> Latencies:
    return Latencies(latencies_s=tuple(probes.latencies_s.tolist()), at_s=tuple(probes.at_s.tolist()))
