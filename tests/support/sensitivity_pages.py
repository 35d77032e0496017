"""Profiles and co-runs for pages: victims with two phases and with rings, and hostile names."""

from dataclasses import replace

from stressbench.formats.profiles.coruns import CoRun
from stressbench.formats.profiles.profile import Configuration, Latencies, Level, Profile
from support.sensitivities import profile, sample, victim

NASTY = "<script>alert('x')</script>"
CURVE = {0.1: 1.02, 0.3: 1.2, 0.6: 1.8}
CG, FFT = victim(CURVE, name="cg"), victim({0.2: 1.02, 0.5: 1.2}, name="fft")
SEEN = (
    CoRun(victim="cg", aggressors=("fft",), slowdown=1.25, interval=(1.2, 1.3), source=NASTY),
    CoRun(victim="fft", aggressors=("cg",), slowdown=1.05, interval=None, source="made up"),
)


def phased(low: float = 0.1, high: float = 0.7) -> Profile:
    """Higher load in the second half; probes start 2 s later, 0.05 s apart."""
    latencies = (*sample(low, count=120), *sample(high, count=120))
    return profile(
        "phased", idle_s=sample(0.0), impact_s=latencies, at_s=[2 + 0.05 * number for number in range(240)],
        links={f"h0: {NASTY} > s0": 0.25, "h1: h1 > s0": 0.5},
    )  # fmt: skip


def rings() -> Profile:
    """Two numbers of partners and of messages and two bubbles; the most loaded ring is saturated."""
    busy = {(1, 1, 1e-3): 0.1, (1, 1, 1e-5): 0.3, (3, 1, 1e-3): 0.5, (3, 10, 1e-5): 0.97}
    levels = tuple(
        Level(
            configuration=Configuration(partners=partners, messages=messages, pause_s=pause_s),
            probes=Latencies(latencies_s=sample(load)),
            times_s=(1 + load,) * 5,
        )
        for (partners, messages, pause_s), load in busy.items()
    )
    return replace(CG, levels=levels)
