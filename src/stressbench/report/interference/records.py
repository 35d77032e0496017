"""Sensitivity profiles as records: probes of the idle machine, probes beside the application, congestion levels."""

from collections.abc import Iterable, Iterator

from stressbench.interference.probe_statistics import LatencySummary
from stressbench.interference.profile_summary import ProfileSummary
from stressbench.interference.utilisation import Utilisation
from stressbench.report.document import DataFile, Value

_HEAD = (
    "application", "machine", "side", "partners", "messages", "pause_s", "message_bytes", "probes", "mean_latency_s",
    "utilisation", "utilisation_low", "utilisation_high", "reason", "runs", "slowdown", "slowdown_low",
    "slowdown_high", "pause_after",
)  # fmt: skip
_NO_RING: tuple[Value, ...] = (None,) * 4
_NO_RUNS: tuple[Value, ...] = (None,) * 5


def records_of(summary: Iterable[ProfileSummary], *, name: str = "profiles") -> DataFile:
    """Records of all profiles; None is unknown."""
    return DataFile(name=name, head=_HEAD, rows=tuple(row for one in summary for row in _rows(one)))


def _rows(summary: ProfileSummary) -> Iterator[tuple[Value, ...]]:
    names = (summary.application, summary.machine)
    yield (*names, "idle", *_NO_RING, *_probes(summary.idle, None), *_NO_RUNS)
    if summary.beside is not None:
        yield (*names, "application", *_NO_RING, *_probes(summary.beside, summary.ours), *_NO_RUNS)
    for one in summary.levels:
        ring = one.configuration
        yield (
            *names, "compression", ring.partners, ring.messages, ring.pause_s, ring.message_bytes,
            *_probes(one.probes, one.utilisation), one.runs, one.slowdown.centre, one.slowdown.low, one.slowdown.high,
            ring.pause_after,
        )  # fmt: skip


def _probes(side: LatencySummary, utilisation: Utilisation | None) -> tuple[Value, ...]:
    utilisation_values = (
        (None,) * 4
        if utilisation is None
        else (utilisation.value, utilisation.low, utilisation.high, utilisation.reason)
    )
    return (side.count, side.mean_s, *utilisation_values)
