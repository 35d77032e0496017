"""Network probes as given series of latencies, and measurements with them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stressbench.interference.finding import Measured
from stressbench.interference.pingpongs import Probes, Probing
from support.builders import MadeStep
from support.sensitivities import sample

PROBING = Probing(pairs=2, message_bytes=1024, interval_s=0.1)
STEPS = (
    MadeStep(motif="compute", time_s=0.09),
    MadeStep(motif="pingpong", time_s=2e-4, quantity="one-way latency", quantity_scale=0.5),
)


def series(
    latencies_s: Sequence[float], *, hosts: tuple[str, ...] = ("h0", "h1"), late_s: float = 0.0, at_s: float = 0.0
) -> Probes:
    count = len(latencies_s)
    return Probes(
        hosts=hosts, latencies_s=np.array(latencies_s), at_s=at_s + 0.1 * np.arange(count),
        round=np.arange(count) // 10 + 1, late_s=np.full(count, late_s),
    )  # fmt: skip


IDLE, BUSY = series(sample(0.0, count=300)), series(sample(0.4, count=300))


def measured(
    before: Sequence[Probes] = (IDLE,), beside: Sequence[Probes] = (BUSY,), after: Sequence[Probes] = (),
    with_s: Sequence[float] = (30.0,), without_s: Sequence[float] = (),
) -> Measured:  # fmt: skip
    probing = replace(PROBING, pairs=len(before))
    return Measured(
        probing=probing, before=tuple(before), beside=tuple(beside), after=tuple(after),
        with_probes_s=tuple(with_s), without_s=tuple(without_s),
    )  # fmt: skip
