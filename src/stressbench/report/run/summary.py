"""The document of `stressbench show`: times per job and motif, isolated and contended, the impact, and warnings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stressbench.formats.run import Role
from stressbench.report.document import Block, Document, Paragraph, Section, Table, columns
from stressbench.report.document import Role as ParagraphRole
from stressbench.report.run.sentences import percent_name, percentile_text, plan_text
from stressbench.report.run.telemetry import telemetry_blocks
from stressbench.report.units import (
    MISSING,
    bit_rate,
    count,
    metric_text,
    percent,
    rate,
    ratio_text,
    size,
    time,
    time_unit,
)
from stressbench.stats import (
    JobSummary,
    LinkUtilisation,
    Method,
    MetricSummary,
    RunFacts,
    RunSummary,
    Source,
    StepSummary,
    Timing,
)

DEFAULT_LINKS = 8
"""Links shown by default."""
DEFAULT_MOTIFS = 100
"""Motifs of a job shown by default."""
_MAX_SIMILAR = 10
_NO_INTERVAL = (
    "No interval, or an open one (–): it takes 6 values for a median, 72 for percentile 95, 368 for 99 and 3,688 for "
    "99.9, on both sides; values of rounds that differ count for less (--json says how many they are worth)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryParts:
    """The parts of a summary to show: rows for motifs (`steps`), links, percentiles (`tails`), plans, telemetry.

    `motif_counts`: the number of motifs of each job; the summary may contain only the longest.
    """

    steps: bool = True
    links: int = DEFAULT_LINKS
    motif_counts: Sequence[int] = ()
    tails: bool = False
    plan: bool = False
    telemetry: bool = False


def document_of(summary: RunSummary, *, parts: SummaryParts) -> Document:
    """Header, times, percentiles, metrics of motifs, the busiest links, slowest hosts, plans and warnings."""
    return Document(title="", sections=(Section(blocks=tuple(_blocks(summary, parts))),), value=summary)


def _blocks(summary: RunSummary, parts: SummaryParts) -> Iterator[Block]:
    yield from map(_line, _head(summary.facts))
    yield _times(summary, steps=parts.steps)
    if parts.tails:
        yield from _tails(summary, steps=parts.steps)
    if parts.steps:
        yield from _metrics(summary)
    if summary.links and parts.links:
        yield from _links(summary, summary.links, rows=parts.links)
    if parts.telemetry:
        yield from _telemetry(summary)
    yield from (_line(_slowest_text(job)) for job in summary.jobs)
    yield from map(_key, _reading_aids(summary, steps=parts.steps))
    if parts.plan:
        for name, timing in _named_timings(summary, steps=parts.steps):
            if timing.plan is not None:
                yield _line(f"plan: {name}: {plan_text(timing.plan, options=True)}")
    for job, motifs in zip(summary.jobs, parts.motif_counts, strict=False):
        if parts.steps and motifs > len(job.steps):
            omitted = f"the {len(job.steps)} motifs that took longest; {motifs - len(job.steps):,} more with --motifs 0"
            yield _key(f"{job.name}: {omitted}.")
    yield from _warning_paragraphs(
        [((one.kind, one.job), f"warning: {_job_prefix(one.job)}{one.text}") for one in summary.warnings]
    )
    names = {job.job: job.name for job in summary.jobs}
    events = summary.events
    jobs = [None if one.job is None else names.get(one.job) for one in events]
    yield from _warning_paragraphs(
        [
            ((one.kind, job), f"{one.severity} from the engine: {_job_prefix(job)}{one.message}")
            for one, job in zip(events, jobs, strict=True)
        ]
    )


def _line(text: str) -> Paragraph:
    return Paragraph(text=text)


def _key(text: str) -> Paragraph:
    return Paragraph(text=text, role=ParagraphRole.key)


def _warning_paragraphs(warnings: Sequence[tuple[tuple[str, str | None], str]]) -> Iterator[Paragraph]:
    """The first `_MAX_SIMILAR` warnings of each kind and job, then a count: thousands of motifs cause thousands."""
    counts: Counter[tuple[str, str | None]] = Counter()
    for kind_and_job, sentence in warnings:
        counts[kind_and_job] += 1
        if counts[kind_and_job] <= _MAX_SIMILAR:
            yield Paragraph(text=sentence, role=ParagraphRole.warning)
    for (kind, _), number in counts.items():
        if number > _MAX_SIMILAR:
            text = f"{number - _MAX_SIMILAR:,} more like it ({kind}); --json has all of them"
            yield Paragraph(text=text, role=ParagraphRole.warning)


def _head(facts: RunFacts) -> Iterator[str]:
    planned = "" if facts.rounds_planned is None else f" of {facts.rounds_planned}"
    reason = f" ({facts.end_reason})" if facts.end_reason else " (no end record)"
    state = "complete" if facts.complete else "INCOMPLETE"
    hosts = count(facts.hosts, "host")
    yield f"{facts.path}: {facts.workload} on {count(facts.ranks, 'rank')}, {count(facts.nodes, 'node')}, {hosts}"
    if facts.simulated:
        yield f"SIMULATED by {facts.simulated}: all times are simulated times"
    yield (
        f"{facts.mpi.split(',')[0]}{f', {facts.transports}' if facts.transports else ''}; seed {facts.seed}; "
        f"placement {facts.placement}; finish {facts.finish}; started {facts.started_at}"
    )
    yield f"{facts.rounds_done}{planned} rounds done in {count(facts.launches, 'launch')}, {state}{reason}"


def _times(summary: RunSummary, *, steps: bool) -> Table:
    rows: list[tuple[str, ...]] = []
    groups: list[int] = []
    for job in summary.jobs:
        groups.append(len(rows))
        rows += _time_rows(job.name if job.role is Role.measured else f"{job.name} (background)", job.timing)
        for step in job.steps if steps else ():
            rows += _time_rows(f"  {_step_title(step)}", step.timing)
    return Table(
        columns=columns(
            texts=("job / motif", "round"), numbers=("n", "min", "median", "p95", "max", "unit"),
            trailing_texts=("congestion impact [95 %]",),
        ),
        rows=tuple(rows), groups=tuple(groups),
    )  # fmt: skip


def _step_title(step: StepSummary) -> str:
    size_text = "" if step.size_bytes is None else f" {size(step.size_bytes)}"
    quantity = "" if step.quantity == "time" else f", {step.quantity}"
    return f"{step.step} {step.motif}{size_text}{quantity}"


def _time_rows(title: str, timing: Timing) -> list[tuple[str, ...]]:
    kinds = (("isolated", timing.isolated_s), ("contended", timing.contended_s))
    known = [(kind, times) for kind, times in kinds if times is not None]
    if not known:
        return [(title, MISSING, "0", *(MISSING,) * 4, "", MISSING)]
    unit = time_unit(times.median for _, times in known)
    ratios = [""] * (len(known) - 1) + [ratio_text(timing.impact.ratio, timing.impact.low, timing.impact.high)]
    return [
        (
            title if kind == known[0][0] else "", kind, str(times.count),
            *(time(value, unit=unit) for value in (times.min, times.median, times.p95, times.max)),
            unit.name, ratio,
        )
        for (kind, times), ratio in zip(known, ratios, strict=True)
    ]  # fmt: skip


def _named_timings(summary: RunSummary, *, steps: bool) -> Iterator[tuple[str, Timing]]:
    """Name and times of each job and, with `steps`, of each of its motifs."""
    for job in summary.jobs:
        yield job.name, job.timing
        for step in job.steps if steps else ():
            yield f"{job.name}: {step.step} {step.motif}", step.timing


def _tails(summary: RunSummary, *, steps: bool) -> Iterator[Block]:
    """A row for each percentile of each job and motif, then why intervals are missing, and the plain ratios."""
    parts = [(name, timing) for name, timing in _named_timings(summary, steps=steps)]
    tails = [tail for _, timing in parts for tail in timing.tails]
    rows: list[tuple[str, ...]] = []
    groups: list[int] = []
    for name, timing in parts:
        groups.append(len(rows))
        unit = time_unit(one.value_s for tail in timing.tails for one in (tail.isolated, tail.contended) if one)
        rows += [
            (
                "" if number else name, tail.source.value, percent_name(tail.share),
                percentile_text(tail.isolated, unit), percentile_text(tail.contended, unit), unit.name,
                ratio_text(tail.ratio, tail.low, tail.high),
            )
            for number, tail in enumerate(timing.tails)
        ]  # fmt: skip
    yield Table(
        columns=columns(
            texts=("job / motif", "of"), numbers=("percentile", "isolated [95 %]", "contended [95 %]", "unit"),
            trailing_texts=("contended / isolated [95 %]",),
        ),
        rows=tuple(rows), groups=tuple(groups),
    )  # fmt: skip
    if any(tail.reason and tail.ratio is not None for tail in tails):
        yield _key(_NO_INTERVAL)
    for name, timing in parts:
        if (plain := timing.ratios) is not None:
            yield _line(
                f"{name}: contended over isolated samples, min to min {plain.min_to_min:.3f}, median to median "
                f"{plain.median_to_median:.3f}, mean to mean {plain.mean_to_mean:.3f}."
            )
    if any(tail.source is Source.executions for tail in tails):
        yield _key("Executions: every one on every rank; a histogram resolves 1 %.")


def _metrics(summary: RunSummary) -> Iterator[Block]:
    """Table of bandwidths and of metrics that motifs report, if there are any."""
    rows: list[tuple[str, ...]] = []
    definitions: dict[str, None] = {}
    for job in summary.jobs:
        for step in job.steps:
            title = (job.name, f"{step.step} {step.motif}")
            if step.bandwidth_definition and (step.isolated_bytes_per_s or step.contended_bytes_per_s):
                rows.append((*title, "bandwidth", rate(step.isolated_bytes_per_s), rate(step.contended_bytes_per_s)))
                definitions[f"bandwidth of {step.motif}: {step.bandwidth_definition}; 1 MB = 10^6 bytes"] = None
            rows += [(*title, metric.name, *_medians(metric)) for metric in step.metrics]
    if rows:
        heads = columns(texts=("job", "motif", "measured by the motif"), numbers=("isolated", "contended"))
        yield Table(columns=heads, rows=tuple(rows))
        yield _line("Medians over rounds of each round's median; a metric is the largest value over the ranks.")
        yield from map(_line, definitions)


def _medians(metric: MetricSummary) -> tuple[str, str]:
    isolated, contended = (
        None if distribution is None else distribution.median for distribution in (metric.isolated, metric.contended)
    )
    return metric_text(metric.name, isolated), metric_text(metric.name, contended)


def _links(summary: RunSummary, links: Sequence[LinkUtilisation], *, rows: int) -> Iterator[Block]:
    """Table of link utilisation by direction, the busiest first."""
    isolated_heads = (f"{job.name} isolated %" for job in summary.jobs)
    yield Table(
        columns=columns(
            texts=("link", "direction"), numbers=("rate", "contended %", *isolated_heads, "carried", "drops")
        ),
        rows=tuple(_link_row(summary, use) for use in links[:rows]),
    )
    rest = f"; {len(links) - rows} more with --links {len(links)}" if len(links) > rows else ""
    yield _line(f"Shares of a link's capacity in a round, medians over rounds, headers included{rest}.")


def _link_row(summary: RunSummary, use: LinkUtilisation) -> tuple[str, ...]:
    isolated = {one.job: one.use for one in use.isolated}
    return (
        use.link, f"{use.source} > {use.target}", bit_rate(use.rate_bits_per_s), percent(use.contended),
        *(percent(isolated.get(job.job)) for job in summary.jobs), size(use.bytes), f"{use.drops:,}",
    )  # fmt: skip


def _telemetry(summary: RunSummary) -> Iterator[Block]:
    if summary.telemetry is None:
        yield _line("No counters of hosts: the run was started with --telemetry off, or by an early version.")
        return
    yield from telemetry_blocks(summary.telemetry, summary.jobs)


def _slowest_text(job: JobSummary) -> str:
    slowest = job.timing.slowest
    if slowest is None:
        return f"{job.name}: no measured samples"
    rank = f"slowest rank {slowest.rank} in {slowest.rank_share:.0%} of {slowest.samples} samples"
    if job.hosts < 2:
        return f"{job.name}: {rank}, all on one host"
    return f"{job.name}: slowest host {slowest.host} in {slowest.host_share:.0%}, {rank}"


def _reading_aids(summary: RunSummary, *, steps: bool) -> Iterator[str]:
    yield "Times end when the last rank has finished: a job's after one repetition" + (
        ", a motif's after one iteration." if steps else "."
    )
    yield "median: over rounds, of each round's median; min, p95 and max: of all n repetitions."
    bootstrapped = any(job.timing.impact.method is Method.bootstrap for job in summary.jobs)
    estimate = "Hodges-Lehmann estimate over blocks, with its 95 %"
    if bootstrapped:
        estimate = "the ratio of medians, with its 95 % BCa bootstrap"
    yield f"Congestion impact is contended over isolated time, {estimate} interval; 1 is no impact."
    if summary.facts.includes_extra:
        yield "Contended samples include the extra repetitions of jobs that finished early."
    for job in summary.jobs:
        if job.timing.impact.ratio is None:
            yield f"{job.name}: no congestion impact: {job.timing.impact.reason}."


def _job_prefix(job: str | None) -> str:
    return "" if job is None else f"{job}: "
