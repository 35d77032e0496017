"""A portrait as rows of numbers: the idle machine, beside the application, each compression."""

from collections.abc import Iterator

from stressbench.interference.profile_summary import LatencySummary, ProfileSummary
from stressbench.interference.utilisation import Utilisation
from stressbench.report.numbers import Value

HEAD = (
    "application", "machine", "side", "partners", "messages", "pause_s", "message_bytes", "probes", "mean_latency_s",
    "utilisation", "utilisation_low", "utilisation_high", "reason", "runs", "slowdown", "slowdown_low",
    "slowdown_high",
)  # fmt: skip
_NO_RING: tuple[Value, ...] = (None,) * 4
_NO_RUNS: tuple[Value, ...] = (None,) * 4


def rows_of(said: ProfileSummary) -> Iterator[tuple[Value, ...]]:
    """Values of `HEAD`; unknown is None."""
    who = (said.application, said.machine)
    yield (*who, "idle", *_NO_RING, *_probes(said.idle, None), *_NO_RUNS)
    if said.beside is not None:
        yield (*who, "application", *_NO_RING, *_probes(said.beside, said.ours), *_NO_RUNS)
    for one in said.levels:
        ring = one.configuration
        yield (
            *who, "compression", ring.partners, ring.messages, ring.pause_s, ring.message_bytes,
            *_probes(one.probes, one.utilisation), one.runs, one.slowdown.centre, one.slowdown.low, one.slowdown.high,
        )  # fmt: skip


def _probes(side: LatencySummary, busy: Utilisation | None) -> tuple[Value, ...]:
    known = (None,) * 4 if busy is None else (busy.value, busy.low, busy.high, busy.reason)
    return (side.count, side.mean_s, *known)
