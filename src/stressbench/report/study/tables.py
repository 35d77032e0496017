"""The results of a study as tables, most of them with the same data in full precision."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stressbench.formats.run import Severity as EventSeverity
from stressbench.report.document import Numbers, Severity, Table, Value, columns
from stressbench.report.names import printable
from stressbench.report.study.evidence import Evidence, Line
from stressbench.report.study.tails import TAIL_SHARES, study_plan, tail_of, tail_text
from stressbench.report.units import MISSING, chance, factor, factor_and_interval, interval, percent, time
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData
from stressbench.stats import Percentile, summarise

MOST_ROWS = 1000
_MOST_COLUMNS = 8
_MOST_HOSTS = 50
_ROW_WORDS = ("pattern", "motif", "workload", "victim", "job")


def crossed(report: StudyReport, evidence: Evidence) -> Table | None:
    """Impacts as in Tables II and III of the StressBench paper: rows by job and, if two vary, one factor.

    None unless one or two factors vary and the columns fit.
    """
    if not 1 <= len(report.factors) <= 2 or not evidence.lines:
        return None
    across = _across(report.factors)
    down = tuple(name for name in report.factors if name != across)
    heads = tuple(dict.fromkeys(cell.values.get(across, MISSING) for cell in report.cells))
    if len(heads) > _MOST_COLUMNS:
        return None
    cells = {
        (
            *(line.cell.values.get(name, MISSING) for name in down),
            line.job.name,
            line.cell.values.get(across, MISSING),
        ): line
        for line in evidence.lines
        if line.measured
    }
    rows = tuple(
        (*map(printable, key), *(_impact_cell(cells.get((*key, head))) for head in heads))
        for key in _row_keys(report, cells, down)
    )
    return Table(
        key="study-crossed",
        caption="Congestion impact: contended over isolated time, 1 is no impact; [95 % interval]; n: number of values "
        f"behind the interval. Columns: {printable(across)}. A dash is a missing result.",
        columns=columns(texts=(*down, "job"), numbers=heads), rows=rows,
    )  # fmt: skip


def _row_keys(
    report: StudyReport, cells: Mapping[tuple[str, ...], Line], down: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Values of the row factor with each job that ran; a value without a finished run gets a dash as its job."""
    jobs: dict[tuple[str, ...], dict[str, None]] = {}
    for cell in report.cells:
        jobs.setdefault(tuple(cell.values.get(name, MISSING) for name in down), {})
    for *values, job, _ in cells:
        jobs[tuple(values)][job] = None
    for key, names in jobs.items():
        yield from ((*key, name) for name in names or (MISSING,))


def _across(factors: Sequence[str]) -> str:
    """The factor of the columns: the last, unless its name contains one of `_ROW_WORDS`."""
    last = factors[-1]
    return factors[0] if any(word in last for word in _ROW_WORDS) else last


def _impact_cell(line: Line | None) -> str:
    if line is None or line.job.impact.ratio is None:
        return MISSING
    impact = line.job.impact
    return f"{factor_and_interval(impact.ratio, impact.low, impact.high)}, n = {line.n}"


def every_cell(report: StudyReport, evidence: Evidence) -> tuple[Table, Numbers]:
    """One row per cell and job, in the order of the study file; cells without a finished run are included."""
    of_cell: dict[str, list[Line]] = {}
    for line in evidence.lines:
        of_cell.setdefault(line.cell.id, []).append(line)
    heads = ("isolated, median", "contended, median", "impact", "95 % interval", "n", "runs")
    rows: list[tuple[str, ...]] = []
    kept: list[tuple[Value, ...]] = []
    for cell in report.cells:
        values = tuple(printable(cell.values.get(name, MISSING)) for name in report.factors)
        done = f"{cell.done:,}" if cell.done == cell.planned else f"{cell.done:,} of {cell.planned:,}"
        if not of_cell.get(cell.id):
            why = " (failed)" if cell.failed else ""
            rows.append((*values, *(MISSING,) * (len(heads)), done + why))
            kept.append((cell.id, *values, *(None,) * 8, cell.done, cell.planned, cell.failed))
        for line in of_cell.get(cell.id, ()):
            impact = line.job.impact
            rows.append(
                (*values, line.name, time(line.job.isolated_s), time(line.job.contended_s), factor(impact.ratio),
                 interval(impact.low, impact.high), line.n, done)
            )  # fmt: skip
            kept.append(
                (cell.id, *values, line.name, line.job.isolated_s, line.job.contended_s, impact.ratio, impact.low,
                 impact.high, impact.level, line.blocks, cell.done, cell.planned, cell.failed)
            )  # fmt: skip
    table = Table(
        key="study-cells",
        caption="All cells and jobs: medians over the rounds of all runs of the cell, until the job's last rank has "
        f"finished. Impact: contended over isolated time.{_cut(rows)}",
        columns=columns(texts=(*report.factors, "job"), numbers=heads), rows=tuple(rows[:MOST_ROWS]),
    )  # fmt: skip
    head = (
        "cell", *report.factors, "job", "isolated_s", "contended_s", "impact", "impact_low", "impact_high",
        "interval_from", "blocks", "runs_done", "runs_planned", "runs_failed",
    )  # fmt: skip
    return table, Numbers(name="impacts", head=head, rows=tuple(kept))


def tails_table(report: StudyReport, evidence: Evidence) -> tuple[Table, Numbers] | tuple[()]:
    """Percentiles 99 and 99.9, P(slower) and plan of every cell and job; empty without samples."""
    lines = [line for line in evidence.lines if any(tail.isolated or tail.contended for tail in line.job.tails)]
    if not lines:
        return ()
    table = Table(
        key="study-tails",
        caption="Tail impact: contended over isolated percentile of all measured repetitions "
        "of the cell's runs, with its 95 % interval. P(slower): the share of pairs of an isolated and a contended "
        f"round in which the contended one is slower; 0.50 without a difference.{_cut(lines)}",
        columns=columns(
            texts=(*report.factors, "job"), numbers=("percentile 99", "percentile 99.9", "P(slower)"),
            last=("additional rounds",),
        ),
        rows=tuple(
            (*line.values, line.name, *(tail_text(tail_of(line.job, share)) for share in TAIL_SHARES),
             chance(line.job.superiority), printable(study_plan(line.job)))
            for line in lines[:MOST_ROWS]
        ),
    )  # fmt: skip
    head = ("cell", *report.factors, "job", "percentile", "isolated_s", "isolated_low_s", "isolated_high_s",
            "contended_s", "contended_low_s", "contended_high_s", "ratio", "low", "high")  # fmt: skip
    kept = tuple(
        (line.cell.id, *line.values, line.name, 100 * tail.share, *_ends(tail.isolated), *_ends(tail.contended),
         tail.ratio, tail.low, tail.high)
        for line in lines for tail in line.job.tails
    )  # fmt: skip
    return table, Numbers(name="tails", head=head, rows=kept)


def _ends(one: Percentile | None) -> tuple[Value, ...]:
    return (None,) * 3 if one is None else (one.value_s, one.low_s, one.high_s)


def _cut(rows: Sequence[object]) -> str:
    return f" The first {MOST_ROWS:,} of {len(rows):,}; the file below has all." if len(rows) > MOST_ROWS else ""


def hosts_table(evidence: Evidence) -> tuple[Table, Numbers] | tuple[()]:
    """How often each host was the slowest of its jobs, over all runs, in descending order of observed over expected."""
    last: Counter[str] = Counter()
    expected: dict[str, float] = {}
    samples: Counter[str] = Counter()
    runs: dict[str, set[str]] = {}
    for share in evidence.shares:
        last[share.host] += share.last
        samples[share.host] += share.samples
        expected[share.host] = expected.get(share.host, 0.0) + share.expected
        runs.setdefault(share.host, set()).add(share.run)
    found = [host for host in expected if expected[host] > 0]
    if not found:
        return ()
    found.sort(key=lambda host: (-last[host] / expected[host], host))
    rows = tuple(
        (printable(host), f"{last[host]:,} of {samples[host]:,}", percent(last[host] / samples[host]),
         percent(expected[host] / samples[host]), factor(last[host] / expected[host]), f"{len(runs[host]):,}")
        for host in found[:_MOST_HOSTS]
    )  # fmt: skip
    heads = ("slowest in", "slowest / %", "expected / %", "slowest over expected", "runs")
    more = f" The first {_MOST_HOSTS} of {len(found):,}." if len(found) > _MOST_HOSTS else ""
    table = Table(
        key="study-hosts",
        caption="How often a host had the slowest rank, of the measured repetitions of its jobs, over all runs. "
        "Expected: with identical nodes. A host far above 1 in many runs is slow, or has more work than the "
        f"others.{more}",
        columns=columns(texts=("host",), numbers=heads), rows=rows,
    )  # fmt: skip
    head = ("host", "last", "samples", "expected", "runs")
    kept = tuple((host, last[host], samples[host], expected[host], len(runs[host])) for host in found)
    return table, Numbers(name="hosts", head=head, rows=kept)


@dataclass(frozen=True, kw_only=True)
class Warned:
    """One kind of warning over all runs: the number of runs, the jobs, and the first text as an example."""

    severity: Severity
    kind: str
    runs: int
    jobs: tuple[str, ...]
    example: str


def warnings_of(data: StudyData) -> tuple[Warned, ...]:
    """Warnings of the analysis and events of the engine by kind, errors first, then by number of runs."""
    groups: dict[tuple[Severity, str], list[tuple[str, str | None, str]]] = {}
    for run, severity, kind, job, text in _all_warnings(data):
        groups.setdefault((severity, kind), []).append((run, job, text))
    found = [
        Warned(
            severity=severity, kind=printable(kind.replace("_", " ")), runs=len({run for run, _, _ in found_in}),
            jobs=tuple(dict.fromkeys(printable(job) for _, job, _ in found_in if job is not None)),
            example=printable(found_in[0][2]),
        )
        for (severity, kind), found_in in groups.items()
    ]  # fmt: skip
    return tuple(sorted(found, key=lambda one: (one.severity is not Severity.error, -one.runs, one.kind)))


def _all_warnings(data: StudyData) -> Iterator[tuple[str, Severity, str, str | None, str]]:
    for name, run in data.runs.items():
        summary = summarise(run)
        for event in summary.events:
            job = run.jobs[event.job].name if event.job is not None and event.job < len(run.jobs) else None
            severity = Severity.error if event.severity is EventSeverity.error else Severity.warning
            yield name, severity, event.kind, job, event.message
        for doubt in summary.warnings:
            yield name, Severity.warning, doubt.kind, doubt.job, doubt.text
