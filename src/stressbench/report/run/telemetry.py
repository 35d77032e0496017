"""Tables of the counters of the hosts, for `stressbench show` and the page of a run."""

from collections.abc import Iterator, Sequence

from stressbench.formats.run import CounterUnit
from stressbench.report.document import Block, Paragraph, Table, columns
from stressbench.report.names import printable
from stressbench.report.units import MISSING, digits, rate, time
from stressbench.stats import CounterRates, DevicePeak, JobSummary, TelemetrySummary

_COUNTERS = (
    "Counters of the hosts, without those that counted nothing: increase per second of the round over all devices, "
    "medians over rounds, warm-up included. Unknown: rounds and devices whose counter was reset, wrapped around or "
    "disappeared."
)
_BUSIEST = "The busiest NICs: the highest rate in an isolated and in a contended round."
_SLOW = "Hosts whose processors were throttled or taken away by a hypervisor, highest values: they may be slow."


def telemetry_blocks(telemetry: TelemetrySummary, jobs: Sequence[JobSummary], *, key: str = "") -> Iterator[Block]:
    """Counters, the busiest NICs, and slow hosts; `key`: prefix of the ids of tables."""
    rows = tuple(_row(counter, jobs) for counter in telemetry.counters if counter.peak > 0 or counter.unknown)
    if not rows:
        yield Paragraph(text="No counter of a host has changed.")
        return
    heads = columns(
        texts=("source", "counter"),
        numbers=(
            "hosts", "devices", *(f"{printable(job.name)} isolated" for job in jobs), "contended", "unknown",
        ),
    )  # fmt: skip
    yield Table(key=f"{key}telemetry", caption=_COUNTERS, columns=heads, rows=rows)
    for name, caption, peaks in (("nics", _BUSIEST, telemetry.busiest), ("slow-hosts", _SLOW, telemetry.slow_hosts)):
        if peaks:
            yield _peaks_table(peaks, key=f"{key}telemetry-{name}", caption=caption)


def _row(counter: CounterRates, jobs: Sequence[JobSummary]) -> tuple[str, ...]:
    isolated = {one.job: one.per_s for one in counter.isolated}
    return (
        printable(counter.source), printable(counter.counter), f"{counter.hosts:,}", f"{counter.devices:,}",
        *(per_second(isolated.get(job.job), counter.unit) for job in jobs),
        per_second(counter.contended, counter.unit), f"{counter.unknown:,}",
    )  # fmt: skip


def _peaks_table(peaks: Sequence[DevicePeak], *, key: str, caption: str) -> Table:
    return Table(
        key=key, caption=caption,
        columns=columns(texts=("host", "device", "counter"), numbers=("isolated", "contended")),
        rows=tuple(
            (
                printable(peak.host), MISSING if peak.device is None else printable(peak.device),
                printable(peak.counter), per_second(peak.isolated, peak.unit), per_second(peak.contended, peak.unit),
            )
            for peak in peaks
        ),
    )  # fmt: skip


def per_second(value: float | None, unit: CounterUnit) -> str:
    """The rate of a counter: `1.23 GB/s`, `45.6 ms/s` or `789 /s`; a dash if it is unknown."""
    if value is None:
        return MISSING
    if unit is CounterUnit.bytes:
        return rate(value)
    return f"{time(value * 1e-9)}/s" if unit is CounterUnit.ns else f"{digits(value)} /s"
