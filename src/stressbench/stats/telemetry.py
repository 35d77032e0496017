"""Counters of the hosts during isolated and contended rounds: rates, busiest NICs, and slow hosts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from stressbench.formats.run import CounterUnit, HostCounter, Kind, Round, Run

NETWORKS = frozenset({"cxi", "ethernet", "infiniband"})
"""Sources whose devices are NICs."""
PROCESSORS = "cpu"
"""Source of what slows the processors of a host."""
_HINDRANCES = frozenset({
    "core_throttling", "package_throttling", "quota_throttled_time", "quota_throttling", "steal_time", "throttled_time",
})  # fmt: skip
_TRAFFIC = frozenset({"interrupt_time", "metadata_calls", "requests", "response_time", "rx_frames", "tx_frames"})
"""Counters of traffic, besides those of bytes: they grow with what jobs send, also where nothing waits."""
_MAX_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRate:
    """Rate of a counter during a job's isolated rounds, in its unit per second: the median over these rounds."""

    job: int
    per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterRates:
    """Increase of a counter over all devices of all hosts, per second of the round (medians over rounds).

    `contended` is None without contended rounds with a value. `hosts` and `devices` are the largest numbers in a round;
    `unknown` is the number of rounds and devices without a value, since the counter was reset, wrapped around or
    disappeared.
    """

    source: str
    counter: str
    unit: CounterUnit
    hosts: int
    devices: int
    unknown: int
    contended: float | None
    isolated: tuple[JobRate, ...]

    @property
    def counts_traffic(self) -> bool:
        """Whether it counts what is transferred, not what waits, is lost or slows something down."""
        return self.unit is CounterUnit.bytes or self.counter in _TRAFFIC

    @property
    def peak(self) -> float:
        """The highest rate, isolated or contended."""
        return max([self.contended or 0.0, *(one.per_s for one in self.isolated)])


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePeak:
    """The highest rate of a counter of one device (None: of the host) over rounds, in its unit per second.

    Rounds in which the device was not among those with the largest values do not count; None if there is no other.
    """

    source: str
    counter: str
    unit: CounterUnit
    host: str
    device: str | None
    isolated: float | None
    contended: float | None

    @property
    def peak(self) -> float:
        """The highest rate, isolated or contended."""
        return max(self.isolated or 0.0, self.contended or 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetrySummary:
    """All counters; the NICs with the highest rates; the hosts whose processors were throttled or taken away most."""

    counters: tuple[CounterRates, ...]
    busiest: tuple[DevicePeak, ...]
    slow_hosts: tuple[DevicePeak, ...]


def telemetry_summary(run: Run) -> TelemetrySummary | None:
    """Rates of all counters, in the order of the run file. None if no round has counters."""
    by_counter: dict[tuple[str, str], list[tuple[Round, HostCounter]]] = {}
    counted = [one for one in run.rounds if one.telemetry is not None and one.duration_s > 0]
    for one in counted:
        for counter in one.telemetry or ():
            by_counter.setdefault((counter.source, counter.counter), []).append((one, counter))
    if not counted:
        return None
    return TelemetrySummary(
        counters=tuple(_rates(rows) for rows in by_counter.values()),
        busiest=_highest(
            rows for (source, _), rows in by_counter.items()
            if source in NETWORKS and rows[0][1].unit is CounterUnit.bytes
        ),
        slow_hosts=_highest(
            rows for (source, counter), rows in by_counter.items() if source == PROCESSORS and counter in _HINDRANCES
        ),
    )  # fmt: skip


def _rates(rows: list[tuple[Round, HostCounter]]) -> CounterRates:
    counter = rows[-1][1]
    jobs = sorted({one.job for one, _ in rows if one.job is not None})
    isolated = ((job, _median(row for row in rows if row[0].job == job)) for job in jobs)
    return CounterRates(
        source=counter.source, counter=counter.counter, unit=counter.unit,
        hosts=max(one.hosts for _, one in rows), devices=max(one.devices for _, one in rows),
        unknown=sum(one.unknown for _, one in rows),
        contended=_median(row for row in rows if row[0].kind is Kind.contended),
        isolated=tuple(JobRate(job=job, per_s=rate) for job, rate in isolated if rate is not None),
    )  # fmt: skip


def _median(rows: Iterable[tuple[Round, HostCounter]]) -> float | None:
    rates = [counter.sum / one.duration_s for one, counter in rows if counter.sum is not None]
    return float(np.median(rates)) if rates else None


def _highest(counters: Iterable[list[tuple[Round, HostCounter]]]) -> tuple[DevicePeak, ...]:
    """The devices with the highest rates, of all these counters; without those that counted nothing."""
    peaks = [peak for rows in counters for peak in _peaks(rows) if peak.peak > 0]
    peaks.sort(key=lambda peak: (peak.unit, -peak.peak, peak.counter, peak.host, peak.device or ""))
    return tuple(peaks[:_MAX_NAMED])


def _peaks(rows: list[tuple[Round, HostCounter]]) -> Iterable[DevicePeak]:
    counter = rows[-1][1]
    found: dict[tuple[str, str | None], dict[Kind, float]] = {}
    for one, counted in rows:
        for device in counted.largest:
            rates = found.setdefault((device.host, device.device), {})
            rates[one.kind] = max(rates.get(one.kind, 0.0), device.value / one.duration_s)
    return (_peak(counter, host, device, rates) for (host, device), rates in found.items())


def _peak(counter: HostCounter, host: str, device: str | None, rates: Mapping[Kind, float]) -> DevicePeak:
    return DevicePeak(
        source=counter.source, counter=counter.counter, unit=counter.unit, host=host, device=device,
        isolated=rates.get(Kind.isolated), contended=rates.get(Kind.contended),
    )  # fmt: skip
