"""The results of a run as tables."""

from collections.abc import Iterator, Sequence

from stressbench.formats.run import Role, Step
from stressbench.report.document import Table, columns
from stressbench.report.names import printable
from stressbench.report.run.section import RunSection
from stressbench.report.run.sentences import percent_name, percentile_text
from stressbench.report.units import MISSING, digits, factor, interval, probability, rate, size, time, time_unit
from stressbench.stats import (
    Impact,
    JobSummary,
    MetricSummary,
    StepSummary,
    Timing,
    median_of,
    round_superiority,
)


def jobs_table(section: RunSection) -> Table:
    """One row per job."""
    return Table(
        key=f"{section.key}-jobs",
        caption="Time of a repetition until the job's last rank has finished. Impact: contended over isolated time.",
        columns=columns(
            texts=("job",),
            numbers=("ranks", "isolated, median", "contended, median", "impact", "95 % interval", "blocks"),
            trailing_texts=("most often slowest host",),
        ),
        rows=tuple(_job_row(job) for job in section.jobs),
    )


def _job_row(job: JobSummary) -> tuple[str, ...]:
    timing = job.timing
    name = printable(job.name) + (" (background)" if job.role is Role.background else "")
    slowest = timing.slowest
    host = MISSING if slowest is None else f"{printable(slowest.host)} ({100 * slowest.host_share:.0f} %)"
    return (
        name,
        f"{job.ranks:,}",
        time(median_of(timing.isolated_s)),
        time(median_of(timing.contended_s)),
        *_impact_cells(timing.impact),
        f"{timing.impact.paired_blocks}",
        host,
    )


TAIL_CAPTION = (
    "Percentiles of repetition times with distribution-free 95 % intervals; tail impact: contended over isolated "
    "percentile. An interval is open or missing where there are too few values: it takes 72 independent values for "
    "percentile 95, 368 for 99 and 3,688 for 99.9, isolated and contended. P(slower): the share of pairs of an "
    "isolated and a contended round in which the contended one is slower; 0.50 without a difference, 1.00 where every "
    "contended round is slower."
)


def tails_table(section: RunSection) -> Table:
    """Four rows per job, percentiles 50, 95, 99 and 99.9; the first also has P(slower)."""
    numbers = ("percentile", "isolated [95 %]", "contended [95 %]", "unit", "tail impact", "95 % interval", "P(slower)")
    return Table(
        key=f"{section.key}-percentiles", caption=TAIL_CAPTION,
        columns=columns(texts=("job",), numbers=numbers),
        rows=tuple(row for job in section.jobs for row in _tail_rows(job)),
    )  # fmt: skip


def _tail_rows(job: JobSummary) -> Iterator[tuple[str, ...]]:
    unit = time_unit(one.value_s for tail in job.timing.tails for one in (tail.isolated, tail.contended) if one)
    slower = round_superiority(job.timing.rounds)
    for number, tail in enumerate(job.timing.tails):
        first = number == 0
        yield (
            printable(job.name) if first else "", percent_name(tail.share), percentile_text(tail.isolated, unit),
            percentile_text(tail.contended, unit), unit.name, factor(tail.ratio), interval(tail.low, tail.high),
            probability(slower) if first else "",
        )  # fmt: skip


def _impact_cells(impact: Impact) -> tuple[str, str]:
    return factor(impact.ratio), interval(impact.low, impact.high)


def motifs_table(section: RunSection) -> Table:
    """Two rows per motif: isolated and contended."""
    return Table(
        key=f"{section.key}-motifs",
        caption="Times of one iteration, largest over the ranks; p95 and p99 are percentiles of the repetitions.",
        columns=columns(
            texts=("job", "motif", "rounds"),
            numbers=("n", "min", "median", "mean", "p95", "p99", "max", "impact", "95 % interval"),
        ),
        rows=tuple(row for job in section.jobs for step in job.steps for row in _motif_rows(section, job, step)),
    )


def _motif_rows(section: RunSection, job: JobSummary, step: StepSummary) -> list[tuple[str, ...]]:
    timing = step.timing
    kinds = [("isolated", timing.isolated_s), ("contended", timing.contended_s)]
    known = [(name, distribution) for name, distribution in kinds if distribution is not None]
    unit = time_unit(distribution.median for _, distribution in known)
    rows: list[tuple[str, ...]] = []
    for name, distribution in known:
        numbers = (
            distribution.min,
            distribution.median,
            distribution.mean,
            distribution.p95,
            distribution.p99,
            distribution.max,
        )
        shown = tuple(time(value, unit=unit) for value in numbers)
        last = name == known[-1][0]
        impact = _impact_cells(timing.impact) if last and _has_isolated_and_contended(timing) else ("", "")
        rows.append((name, f"{distribution.count:,}", *shown, *impact))
    motif, timing_text = _motif_text(section.run.jobs[job.job].steps[step.step]), _timing_text(step, unit.name)
    heads = (
        [(printable(job.name), motif), ("", timing_text)]
        if len(rows) > 1
        else [(printable(job.name), f"{motif}; {timing_text}")]
    )
    return [(*head, *row) for head, row in zip(heads, rows, strict=False)]


def _has_isolated_and_contended(timing: Timing) -> bool:
    return timing.isolated_s is not None and timing.contended_s is not None


def _motif_text(step: Step) -> str:
    options = " ".join(f"{name}={value}" for name, value in step.options.items())
    return printable(f"{step.motif} {options}".strip())


def _timing_text(step: StepSummary, unit: str) -> str:
    timed_region = "around every iteration" if step.timer == "iteration" else "around the loop"
    times = f", {step.executions:,}× per repetition" if step.executions > 1 else ""
    return f"{printable(step.quantity)} / {unit}, timer {timed_region}{times}"


def bandwidths_table(section: RunSection) -> Table | None:
    """Bandwidths of motifs that define one; None if there are none."""
    rows = tuple(
        (
            printable(job.name),
            printable(step.motif),
            size(step.size_bytes),
            rate(step.isolated_bytes_per_s),
            rate(step.contended_bytes_per_s),
            printable(step.bandwidth_definition or MISSING),
        )
        for job in section.jobs
        for step in job.steps
        if step.isolated_bytes_per_s is not None or step.contended_bytes_per_s is not None
    )
    heads = columns(
        texts=("job", "motif"), numbers=("size", "isolated", "contended"), trailing_texts=("definition of bandwidth",)
    )
    caption = "Bandwidth of the median iteration; 1 MB/s is 10⁶ bytes per second."
    return Table(key=f"{section.key}-bandwidths", caption=caption, columns=heads, rows=rows) if rows else None


def metrics_table(section: RunSection) -> Table | None:
    """Metrics that motifs report; None if there are none."""
    rows = tuple(
        (printable(job.name), printable(step.motif), printable(metric.name), *_metric_cells(metric))
        for job in section.jobs
        for step in job.steps
        for metric in step.metrics
    )
    heads = columns(
        texts=("job", "motif", "metric"), numbers=("isolated: n", "median", "max", "contended: n", "median", "max")
    )
    caption = "Metrics reported by the motifs, maxima over the ranks; the name ends in the unit."
    return Table(key=f"{section.key}-metrics", caption=caption, columns=heads, rows=rows) if rows else None


def _metric_cells(metric: MetricSummary) -> tuple[str, ...]:
    cells: list[str] = []
    for distribution in (metric.isolated, metric.contended):
        cells += (
            [MISSING] * 3
            if distribution is None
            else [f"{distribution.count:,}", digits(distribution.median), digits(distribution.max)]
        )
    return tuple(cells)


def overview_table(sections: Sequence[RunSection]) -> Table:
    """One row per run file."""
    return Table(
        key="overview-runs",
        caption="The runs on this page. The largest impact is that of the job that is slowed down most.",
        columns=columns(
            texts=("run", "started (UTC)", "MPI"),
            numbers=("ranks", "nodes", "rounds", "largest impact"),
            trailing_texts=("of job",),
        ),
        rows=tuple(_overview_row(section) for section in sections),
    )


def _overview_row(section: RunSection) -> tuple[str, ...]:
    facts = section.summary.facts
    known = [job for job in section.jobs if job.timing.impact.ratio is not None]
    worst = max(known, key=lambda job: job.timing.impact.ratio or 0.0, default=None)
    rounds = f"{facts.rounds_done:,}" + ("" if facts.complete else " (incomplete)")
    return (
        printable(section.title),
        f"{section.run.header.started_at:%Y-%m-%d %H:%M}",
        printable(facts.mpi)[:60],
        f"{facts.ranks:,}",
        f"{facts.nodes:,}",
        rounds,
        MISSING if worst is None else factor(worst.timing.impact.ratio),
        MISSING if worst is None else printable(worst.name),
    )
