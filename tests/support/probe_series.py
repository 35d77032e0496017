"""Network probes as given series of latencies, and measurements with them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stressbench.interference.impact_analysis import ImpactData
from stressbench.interference.probes import ProbeSchedule, ProbeSeries
from support.builders import MadeStep
from support.sensitivities import sample

PROBING = ProbeSchedule(pairs=2, message_bytes=1024, interval_s=0.1)
STEPS = (
    MadeStep(motif="compute", time_s=0.09),
    MadeStep(motif="one_way_delay", time_s=2e-4, quantity="one-way latency", quantity_scale=0.5),
)


def series(
    latencies_s: Sequence[float], *, hosts: tuple[str, ...] = ("h0", "h1"), late_s: float = 0.0, at_s: float = 0.0
) -> ProbeSeries:
    count = len(latencies_s)
    return ProbeSeries(
        hosts=hosts, latencies_s=np.array(latencies_s), at_s=at_s + 0.1 * np.arange(count),
        round=np.arange(count) // 10 + 1, pair=np.zeros(count, dtype=np.int64), late_s=np.full(count, late_s),
        stands_for_s=np.full(count, 0.1),
    )  # fmt: skip


IDLE, BUSY = series(sample(0.0, count=300)), series(sample(0.4, count=300))


def measured(
    before: Sequence[ProbeSeries] = (IDLE,), beside: Sequence[ProbeSeries] = (BUSY,), after: Sequence[ProbeSeries] = (),
    with_s: Sequence[float] = (30.0,), without_s: Sequence[float] = (),
) -> ImpactData:  # fmt: skip
    probing = replace(PROBING, pairs=len(before))
    return ImpactData(
        probing=probing, before=tuple(before), beside=tuple(beside), after=tuple(after),
        with_probes_s=tuple(with_s), without_s=tuple(without_s),
    )  # fmt: skip
