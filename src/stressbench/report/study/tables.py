"""The results of a study as tables, most of them with the same data in full precision."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stressbench.formats.run import Severity as EventSeverity
from stressbench.report.document import DataFile, Severity, Table, Value, columns
from stressbench.report.names import printable
from stressbench.report.study.page_data import CellJob, StudyPageData
from stressbench.report.study.tails import TAIL_SHARES, study_plan, tail_of, tail_text
from stressbench.report.units import MISSING, factor, factor_and_interval, interval, percent, probability, time
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData
from stressbench.stats import Percentile, summarise

MAX_ROWS = 1000
_MAX_COLUMNS = 8
_MAX_HOSTS = 50
_ROW_FACTOR_WORDS = ("pattern", "motif", "workload", "victim", "job")


def factor_table(report: StudyReport, page_data: StudyPageData) -> Table | None:
    """Impacts as in Tables II and III of the StressBench paper: rows by job and, if two vary, one factor.

    None unless one or two factors vary and the columns fit.
    """
    if not 1 <= len(report.factors) <= 2 or not page_data.cell_jobs:
        return None
    column_factor = _column_factor(report.factors)
    row_factors = tuple(name for name in report.factors if name != column_factor)
    heads = tuple(dict.fromkeys(cell.values.get(column_factor, MISSING) for cell in report.cells))
    if len(heads) > _MAX_COLUMNS:
        return None
    cells = {
        (
            *(entry.cell.values.get(name, MISSING) for name in row_factors),
            entry.job.name,
            entry.cell.values.get(column_factor, MISSING),
        ): entry
        for entry in page_data.cell_jobs
        if entry.measured
    }
    rows = tuple(
        (*map(printable, key), *(_impact_cell(cells.get((*key, head))) for head in heads))
        for key in _row_keys(report, cells, row_factors)
    )
    return Table(
        key="study-crossed",
        caption="Congestion impact: contended over isolated time, 1 is no impact; [95 % interval]; n: number of values "
        f"behind the interval. Columns: {printable(column_factor)}. A dash is a missing result.",
        columns=columns(texts=(*row_factors, "job"), numbers=heads), rows=rows,
    )  # fmt: skip


def _row_keys(
    report: StudyReport, cells: Mapping[tuple[str, ...], CellJob], row_factors: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Values of the row factor with each job that ran; a value without a finished run gets a dash as its job."""
    jobs: dict[tuple[str, ...], dict[str, None]] = {}
    for cell in report.cells:
        jobs.setdefault(tuple(cell.values.get(name, MISSING) for name in row_factors), {})
    for *values, job, _ in cells:
        jobs[tuple(values)][job] = None
    for key, names in jobs.items():
        yield from ((*key, name) for name in names or (MISSING,))


def _column_factor(factors: Sequence[str]) -> str:
    """The factor of the columns: the last, unless its name contains one of `_ROW_FACTOR_WORDS`."""
    last = factors[-1]
    return factors[0] if any(word in last for word in _ROW_FACTOR_WORDS) else last


def _impact_cell(entry: CellJob | None) -> str:
    if entry is None or entry.job.impact.ratio is None:
        return MISSING
    impact = entry.job.impact
    return f"{factor_and_interval(impact.ratio, impact.low, impact.high)}, n = {entry.n}"


def cells_table(report: StudyReport, page_data: StudyPageData) -> tuple[Table, DataFile]:
    """One row per cell and job, in the order of the study file; cells without a finished run are included."""
    by_cell: dict[str, list[CellJob]] = {}
    for entry in page_data.cell_jobs:
        by_cell.setdefault(entry.cell.id, []).append(entry)
    heads = ("isolated, median", "contended, median", "impact", "95 % interval", "n", "runs")
    rows: list[tuple[str, ...]] = []
    data_rows: list[tuple[Value, ...]] = []
    for cell in report.cells:
        values = tuple(printable(cell.values.get(name, MISSING)) for name in report.factors)
        done = f"{cell.done:,}" if cell.done == cell.planned else f"{cell.done:,} of {cell.planned:,}"
        if not by_cell.get(cell.id):
            failure = " (failed)" if cell.failed else ""
            rows.append((*values, *(MISSING,) * (len(heads)), done + failure))
            data_rows.append((cell.id, *values, *(None,) * 8, cell.done, cell.planned, cell.failed))
        for entry in by_cell.get(cell.id, ()):
            impact = entry.job.impact
            rows.append(
                (*values, entry.name, time(entry.job.isolated_s), time(entry.job.contended_s), factor(impact.ratio),
                 interval(impact.low, impact.high), entry.n, done)
            )  # fmt: skip
            data_rows.append(
                (cell.id, *values, entry.name, entry.job.isolated_s, entry.job.contended_s, impact.ratio, impact.low,
                 impact.high, impact.level, entry.blocks, cell.done, cell.planned, cell.failed)
            )  # fmt: skip
    table = Table(
        key="study-cells",
        caption="All cells and jobs: medians over the rounds of all runs of the cell, until the job's last rank has "
        f"finished. Impact: contended over isolated time.{_truncation_note(rows)}",
        columns=columns(texts=(*report.factors, "job"), numbers=heads), rows=tuple(rows[:MAX_ROWS]),
    )  # fmt: skip
    head = (
        "cell", *report.factors, "job", "isolated_s", "contended_s", "impact", "impact_low", "impact_high",
        "interval_from", "blocks", "runs_done", "runs_planned", "runs_failed",
    )  # fmt: skip
    return table, DataFile(name="impacts", head=head, rows=tuple(data_rows))


def tails_table(report: StudyReport, page_data: StudyPageData) -> tuple[Table, DataFile] | tuple[()]:
    """Percentiles 99 and 99.9, P(slower) and plan of every cell and job; empty without samples."""
    cell_jobs = [
        entry for entry in page_data.cell_jobs if any(tail.isolated or tail.contended for tail in entry.job.tails)
    ]
    if not cell_jobs:
        return ()
    table = Table(
        key="study-tails",
        caption="Tail impact: contended over isolated percentile of all measured repetitions "
        "of the cell's runs, with its 95 % interval. P(slower): the share of pairs of an isolated and a contended "
        f"round in which the contended one is slower; 0.50 without a difference.{_truncation_note(cell_jobs)}",
        columns=columns(
            texts=(*report.factors, "job"), numbers=("percentile 99", "percentile 99.9", "P(slower)"),
            trailing_texts=("additional rounds",),
        ),
        rows=tuple(
            (*entry.values, entry.name, *(tail_text(tail_of(entry.job, share)) for share in TAIL_SHARES),
             probability(entry.job.superiority), printable(study_plan(entry.job)))
            for entry in cell_jobs[:MAX_ROWS]
        ),
    )  # fmt: skip
    head = ("cell", *report.factors, "job", "percentile", "isolated_s", "isolated_low_s", "isolated_high_s",
            "contended_s", "contended_low_s", "contended_high_s", "ratio", "low", "high")  # fmt: skip
    data_rows = tuple(
        (entry.cell.id, *entry.values, entry.name, 100 * tail.share, *_percentile_values(tail.isolated),
         *_percentile_values(tail.contended), tail.ratio, tail.low, tail.high)
        for entry in cell_jobs for tail in entry.job.tails
    )  # fmt: skip
    return table, DataFile(name="tails", head=head, rows=data_rows)


def _percentile_values(one: Percentile | None) -> tuple[Value, ...]:
    return (None,) * 3 if one is None else (one.value_s, one.low_s, one.high_s)


def _truncation_note(rows: Sequence[object]) -> str:
    return f" The first {MAX_ROWS:,} of {len(rows):,}; the file below has all." if len(rows) > MAX_ROWS else ""


def hosts_table(page_data: StudyPageData) -> tuple[Table, DataFile] | tuple[()]:
    """How often each host was the slowest of its jobs, over all runs, in descending order of observed over expected."""
    slowest_counts: Counter[str] = Counter()
    expected: dict[str, float] = {}
    samples: Counter[str] = Counter()
    runs: dict[str, set[str]] = {}
    for host_share in page_data.slowest_host_shares:
        slowest_counts[host_share.host] += host_share.times_slowest
        samples[host_share.host] += host_share.samples
        expected[host_share.host] = expected.get(host_share.host, 0.0) + host_share.expected
        runs.setdefault(host_share.host, set()).add(host_share.run)
    hosts = [host for host in expected if expected[host] > 0]
    if not hosts:
        return ()
    hosts.sort(key=lambda host: (-slowest_counts[host] / expected[host], host))
    rows = tuple(
        (printable(host), f"{slowest_counts[host]:,} of {samples[host]:,}",
         percent(slowest_counts[host] / samples[host]), percent(expected[host] / samples[host]),
         factor(slowest_counts[host] / expected[host]), f"{len(runs[host]):,}")
        for host in hosts[:_MAX_HOSTS]
    )  # fmt: skip
    heads = ("slowest in", "slowest / %", "expected / %", "slowest over expected", "runs")
    more = f" The first {_MAX_HOSTS} of {len(hosts):,}." if len(hosts) > _MAX_HOSTS else ""
    table = Table(
        key="study-hosts",
        caption="How often a host had the slowest rank, of the measured repetitions of its jobs, over all runs. "
        "Expected: with identical nodes. A host far above 1 in many runs is slow, or has more work than the "
        f"others.{more}",
        columns=columns(texts=("host",), numbers=heads), rows=rows,
    )  # fmt: skip
    head = ("host", "last", "samples", "expected", "runs")
    data_rows = tuple((host, slowest_counts[host], samples[host], expected[host], len(runs[host])) for host in hosts)
    return table, DataFile(name="hosts", head=head, rows=data_rows)


@dataclass(frozen=True, kw_only=True)
class WarningGroup:
    """One kind of warning over all runs: the number of runs, the jobs, and the first text as an example.

    `kind` is that of `show --json`.
    """

    severity: Severity
    kind: str
    runs: int
    jobs: tuple[str, ...]
    example: str


def warnings_of(data: StudyData) -> tuple[WarningGroup, ...]:
    """Warnings of the analysis and events of the engine by kind, errors first, then by number of runs."""
    groups: dict[tuple[Severity, str], list[tuple[str, str | None, str]]] = {}
    for run, severity, kind, job, text in _all_warnings(data):
        groups.setdefault((severity, kind), []).append((run, job, text))
    warning_groups = [
        WarningGroup(
            severity=severity, kind=printable(kind), runs=len({run for run, _, _ in occurrences}),
            jobs=tuple(dict.fromkeys(printable(job) for _, job, _ in occurrences if job is not None)),
            example=printable(occurrences[0][2]),
        )
        for (severity, kind), occurrences in groups.items()
    ]  # fmt: skip
    return tuple(sorted(warning_groups, key=lambda one: (one.severity is not Severity.error, -one.runs, one.kind)))


def _all_warnings(data: StudyData) -> Iterator[tuple[str, Severity, str, str | None, str]]:
    for name, run in data.runs.items():
        summary = summarise(run)
        for event in summary.events:
            job = run.jobs[event.job].name if event.job is not None and event.job < len(run.jobs) else None
            severity = Severity.error if event.severity is EventSeverity.error else Severity.warning
            yield name, severity, event.kind, job, event.message
        for warning in summary.warnings:
            yield name, Severity.warning, warning.kind, warning.job, warning.text
