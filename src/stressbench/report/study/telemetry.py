"""Counters of the hosts over all cells of a study: the busiest NICs, congestion that grew, and slow hosts. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import median

from stressbench.formats.run import CounterUnit, Run
from stressbench.report.document import Block, Collapsible, DataFile, Findings, Link, Links, Table, columns
from stressbench.report.names import printable
from stressbench.report.run.telemetry import per_second
from stressbench.report.study.page_data import factor_text_of, row_head
from stressbench.report.study.sentences import bidi_isolated
from stressbench.report.units import MISSING, count
from stressbench.results.study import CellResult, StudyReport
from stressbench.results.study_data import StudyData
from stressbench.stats import CounterRates, DevicePeak, TelemetrySummary, telemetry_summary
from stressbench.stats.telemetry import PROCESSORS

_MAX_PEAKS = 8
_MAX_ROWS = 300
_MAX_EXPANDED_ROWS = 8
_MAX_NAMED = 4
_MAX_LINKED = 12
_BUSIEST = (
    "The busiest NICs of all runs: the highest rate in an isolated and in a contended round, and the cell of the "
    "higher one. Runs: those in which the NIC is among the busiest."
)
_SLOW = (
    "Hosts whose processors were throttled or taken away by a hypervisor, highest values of all runs, and the cell of "
    "the highest: they may be slow. Runs: those in which the host is among the highest."
)
_GREW = (
    "Counters of waiting, loss and congestion that are higher in contended rounds than in the isolated rounds of every "
    "job, in all runs of the cell: increase per second over all hosts, medians over rounds and runs, for the job with "
    "the highest isolated rate. Counters of traffic are not listed, since it grows with the number of jobs."
)


@dataclass(frozen=True, kw_only=True)
class CellCounter:
    """A counter in the runs of a cell: rates in its unit per second, medians over the runs; None is unknown.

    `isolated` is the highest rate in isolated rounds, which is that of `job`. `grew`: it does not count traffic, and
    was higher in contended rounds than in the isolated rounds of every job, in each run that has both.
    """

    cell: CellResult
    source: str
    counter: str
    unit: CounterUnit
    job: str | None
    isolated: float | None
    contended: float | None
    grew: bool
    runs: int

    @property
    def growth(self) -> float:
        """Contended over isolated rate; infinite if it counted nothing in isolated rounds."""
        return (self.contended or 0.0) / self.isolated if self.isolated else inf


@dataclass(frozen=True, kw_only=True)
class StudyPeak:
    """The highest rates of a counter of one device in `runs` of the study, and the cell of the higher one."""

    peak: DevicePeak
    cell: CellResult
    runs: int


@dataclass(frozen=True, kw_only=True)
class StudyTelemetry:
    """Counters of all cells. `runs` have counters of hosts, `processor_runs` of them have those of processors.

    `busiest` are NICs, `slow_hosts` those whose processors were throttled or taken away, the highest first.
    """

    runs: int
    processor_runs: int
    counters: tuple[CellCounter, ...]
    busiest: tuple[StudyPeak, ...]
    slow_hosts: tuple[StudyPeak, ...]

    @property
    def grown(self) -> tuple[CellCounter, ...]:
        """Counters that grew, by decreasing growth."""
        return tuple(
            sorted((one for one in self.counters if one.grew), key=lambda one: (-one.growth, -(one.contended or 0.0)))
        )


def study_telemetry(report: StudyReport, data: StudyData) -> StudyTelemetry | None:
    """Counters of the hosts by cell; None if no run has any."""
    runs = data.by_cell
    cells = [(cell, _summaries(runs.get(cell.id, {}).values())) for cell in report.cells]
    summaries = [(cell, summary) for cell, those in cells for _, summary in those]
    if not summaries:
        return None
    return StudyTelemetry(
        runs=len(summaries),
        processor_runs=sum(any(one.source == PROCESSORS for one in summary.counters) for _, summary in summaries),
        counters=tuple(counter for cell, those in cells for counter in _cell_counters(cell, those)),
        busiest=_highest((cell, peak) for cell, summary in summaries for peak in summary.busiest),
        slow_hosts=_highest((cell, peak) for cell, summary in summaries for peak in summary.slow_hosts),
    )


def _summaries(runs: Iterable[Run]) -> tuple[tuple[Run, TelemetrySummary], ...]:
    """Those of the runs that have counters."""
    summaries = ((run, telemetry_summary(run)) for run in runs)
    return tuple((run, summary) for run, summary in summaries if summary is not None)


def _cell_counters(cell: CellResult, summaries: Sequence[tuple[Run, TelemetrySummary]]) -> Iterator[CellCounter]:
    by_counter: dict[tuple[str, str], list[tuple[Run, CounterRates]]] = {}
    for run, summary in summaries:
        for one in summary.counters:
            by_counter.setdefault((one.source, one.counter), []).append((run, one))
    return (_cell_counter(cell, rows) for rows in by_counter.values())


def _cell_counter(cell: CellResult, rows: Sequence[tuple[Run, CounterRates]]) -> CellCounter:
    """One counter in the runs of a cell, of which there is at least one."""
    by_job: dict[str, list[float]] = {}
    for run, one in rows:
        for rate in one.isolated:
            by_job.setdefault(run.jobs[rate.job].name, []).append(rate.per_s)
    isolated = {job: median(rates) for job, rates in by_job.items()}
    job = max(isolated, key=isolated.__getitem__, default=None)
    contended = [one.contended for _, one in rows if one.contended is not None]
    first = rows[0][1]
    return CellCounter(
        cell=cell, source=first.source, counter=first.counter, unit=first.unit, job=job,
        isolated=None if job is None else isolated[job], contended=median(contended) if contended else None,
        grew=not first.counts_traffic and _grew(one for _, one in rows), runs=len(rows),
    )  # fmt: skip


def _grew(counters: Iterable[CounterRates]) -> bool:
    known = [(one.contended, max(rate.per_s for rate in one.isolated)) for one in counters if one.isolated]
    pairs = [(contended, isolated) for contended, isolated in known if contended is not None]
    return bool(pairs) and all(contended > isolated for contended, isolated in pairs)


def _highest(peaks: Iterable[tuple[CellResult, DevicePeak]]) -> tuple[StudyPeak, ...]:
    """The highest peaks of each unit, those of the same counter of a device as one."""
    by_device: dict[tuple[str, str, str, str | None], list[tuple[CellResult, DevicePeak]]] = {}
    for cell, peak in peaks:
        by_device.setdefault((peak.source, peak.counter, peak.host, peak.device), []).append((cell, peak))
    merged = [_merged(those) for those in by_device.values()]
    merged.sort(key=lambda one: (one.peak.unit, -one.peak.peak, one.peak.counter, one.peak.host, one.peak.device or ""))
    return tuple(merged[:_MAX_PEAKS])


def _merged(peaks: Sequence[tuple[CellResult, DevicePeak]]) -> StudyPeak:
    cell, highest = max(peaks, key=lambda one: one[1].peak)
    return StudyPeak(
        peak=DevicePeak(
            source=highest.source, counter=highest.counter, unit=highest.unit, host=highest.host,
            device=highest.device,
            isolated=max((peak.isolated for _, peak in peaks if peak.isolated is not None), default=None),
            contended=max((peak.contended for _, peak in peaks if peak.contended is not None), default=None),
        ),
        cell=cell, runs=len(peaks),
    )  # fmt: skip


def telemetry_sentences(report: StudyReport, data: StudyData) -> tuple[str, ...]:
    """What the counters show in the study as sentences; empty if no run has counters of hosts."""
    found = study_telemetry(report, data)
    return () if found is None else tuple(_sentences(report, found))


def telemetry_blocks(report: StudyReport, data: StudyData) -> Iterator[Block]:
    """Findings, the busiest NICs, slow hosts, counters that grew, and links to cells; empty without counters."""
    found = study_telemetry(report, data)
    if found is None:
        return
    yield Findings(sentences=tuple(_sentences(report, found)))
    for name, caption, peaks in (("nics", _BUSIEST, found.busiest), ("slow-hosts", _SLOW, found.slow_hosts)):
        if peaks:
            yield _peaks_table(report, peaks, key=f"study-telemetry-{name}", caption=caption)
    if grown := found.grown:
        summary = f"Counters that grew in contended rounds ({len(grown):,})"
        expanded = len(grown) <= _MAX_EXPANDED_ROWS
        yield Collapsible(summary=summary, blocks=(_grown_table(report, grown),), expanded=expanded)
    yield _data_file(report, found)
    yield _links(report, data, found)


def _sentences(report: StudyReport, found: StudyTelemetry) -> Iterator[str]:
    yield from (_busiest_text(report, one) for one in found.busiest[:1])
    grown = found.grown
    if not grown:
        yield "No counter of waiting, loss or congestion is higher in contended rounds in all runs of a cell."
    else:
        first, cells = grown[0], len({one.cell.id for one in grown})
        counters = len({(one.source, one.counter) for one in grown})
        yield (
            f"{count(counters, 'counter')} of waiting, loss or congestion {'is' if counters == 1 else 'are'} higher "
            f"in contended rounds, in {cells:,} of {count(len(report.cells), 'cell')}; most of all "
            f"{printable(first.counter)} ({printable(first.source)}), {per_second(first.isolated, first.unit)} "
            f"isolated and {per_second(first.contended, first.unit)} contended{_with_factors(report, first.cell)}."
        )
    yield _slow_text(found)


def _busiest_text(report: StudyReport, one: StudyPeak) -> str:
    peak = one.peak
    device = "" if peak.device is None else f"{bidi_isolated(peak.device)} of "
    return (
        f"The busiest NIC is {device}{bidi_isolated(peak.host)}: {printable(peak.counter)} reached "
        f"{per_second(peak.isolated, peak.unit)} in isolated and {per_second(peak.contended, peak.unit)} in contended "
        f"rounds{_with_factors(report, one.cell)}."
    )


def _slow_text(found: StudyTelemetry) -> str:
    if found.slow_hosts:
        hosts: dict[str, StudyPeak] = {}
        for one in found.slow_hosts:
            hosts.setdefault(one.peak.host, one)
        named = ", ".join(_slow_host_text(one) for one in list(hosts.values())[:_MAX_NAMED])
        more = f" and {count(len(hosts) - _MAX_NAMED, 'more host')}" if len(hosts) > _MAX_NAMED else ""
        return f"Processors were throttled or taken away on {named}{more}."
    if found.processor_runs:
        return f"No processor was throttled or taken away in {count(found.processor_runs, 'run')}."
    return "Whether processors were throttled is unknown: no run counted it."


def _slow_host_text(one: StudyPeak) -> str:
    highest = per_second(one.peak.peak, one.peak.unit)
    return f"{bidi_isolated(one.peak.host)} ({printable(one.peak.counter)} up to {highest}, {count(one.runs, 'run')})"


def _with_factors(report: StudyReport, cell: CellResult) -> str:
    text = factor_text_of(cell, report.factors)
    return f" with {bidi_isolated(text)}" if text else ""


def _peaks_table(report: StudyReport, peaks: Sequence[StudyPeak], *, key: str, caption: str) -> Table:
    return Table(
        key=key, caption=caption,
        columns=columns(
            texts=("host", "device", "counter"), numbers=("isolated", "contended", "runs"), trailing_texts=("cell",)
        ),
        rows=tuple(
            (
                printable(one.peak.host), MISSING if one.peak.device is None else printable(one.peak.device),
                printable(one.peak.counter), per_second(one.peak.isolated, one.peak.unit),
                per_second(one.peak.contended, one.peak.unit), f"{one.runs:,}", ", ".join(row_head(one.cell, report)),
            )
            for one in peaks
        ),
    )  # fmt: skip


def _grown_table(report: StudyReport, grown: Sequence[CellCounter]) -> Table:
    more = f" The first {_MAX_ROWS:,} of {len(grown):,}; the file below has all." if len(grown) > _MAX_ROWS else ""
    return Table(
        key="study-telemetry", caption=_GREW + more,
        columns=columns(
            texts=(*(report.factors or ("cell",)), "source", "counter", "job"),
            numbers=("isolated", "contended", "runs"),
        ),
        rows=tuple(
            (
                *row_head(one.cell, report), printable(one.source), printable(one.counter),
                MISSING if one.job is None else printable(one.job), per_second(one.isolated, one.unit),
                per_second(one.contended, one.unit), f"{one.runs:,}",
            )
            for one in grown[:_MAX_ROWS]
        ),
    )  # fmt: skip


def _data_file(report: StudyReport, found: StudyTelemetry) -> DataFile:
    """One row per cell and counter."""
    head = (
        "cell", "values", "source", "counter", "unit", "job", "isolated_per_s", "contended_per_s", "grew", "runs",
    )  # fmt: skip
    rows = tuple(
        (
            one.cell.id, factor_text_of(one.cell, report.factors), one.source, one.counter, one.unit.value, one.job,
            one.isolated, one.contended, int(one.grew), one.runs,
        )
        for one in found.counters
    )  # fmt: skip
    return DataFile(name="telemetry", head=head, rows=rows)


def _links(report: StudyReport, data: StudyData, found: StudyTelemetry) -> Links:
    """Links to existing pages of runs of the cells that are named, and to the table of all cells."""
    named = (*(one.cell for one in found.grown), *(one.cell for one in (*found.busiest, *found.slow_hosts)))
    cells = {cell.id: cell for cell in named}
    pages = _pages_by_cell(data)
    links = [
        Link(text=f"Page of run {pages[id_][0]}{_with_factors(report, cell)}", path=pages[id_][1])
        for id_, cell in cells.items()
        if id_ in pages
    ]
    return Links(
        title="Cells of these counters",
        links=(*links[:_MAX_LINKED], Link(text="The times of these cells", key="study-cells")),
    )


def _pages_by_cell(data: StudyData) -> Mapping[str, tuple[str, str]]:
    """The first run of each cell that has a page, and the page."""
    pages: dict[str, tuple[str, str]] = {}
    for cell, runs in data.by_cell.items():
        for run in runs:
            if run in data.pages:
                pages.setdefault(cell, (run, data.pages[run]))
    return pages
