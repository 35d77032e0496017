"""The table of `stressbench show`: per job and motif the spread of times, alone and contended, and the impact."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from stressbench.console import Console
from stressbench.formats.run import Role
from stressbench.report.names import printable
from stressbench.report.renderers.text import new_table, print_table, say
from stressbench.report.terminal.link_table import print_links
from stressbench.report.terminal.tail_table import print_plans, print_tails
from stressbench.report.units import MISSING, TimeUnit, count, measured, rate, ratio_text, size, time, time_unit
from stressbench.stats import (
    Distribution,
    JobSummary,
    Method,
    MetricSummary,
    RunFacts,
    RunSummary,
    StepSummary,
    Timing,
)

BUSIEST = 8
"""Links shown without being asked."""
LONGEST = 100
"""Motifs of a job, likewise."""
_ALIKE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What of a summary is printed: lines for motifs, this many links, percentiles, plans.

    `chains` says how many motifs each job has, of which the summary may lack some.
    """

    steps: bool = True
    links: int = BUSIEST
    chains: Sequence[int] = ()
    tails: bool = False
    plan: bool = False


def print_summary(summary: RunSummary, *, console: Console, shown: Shown) -> None:
    """Header line, table, what motifs measured themselves, the busiest links, slowest hosts, warnings."""
    for line in _head(summary.facts):
        say(console, line)
    console.print()
    print_table(console, _times(summary, steps=shown.steps))
    console.print()
    if shown.tails:
        print_tails(summary, console=console, steps=shown.steps)
    if shown.steps:
        _print_extras(summary, console)
    print_links(summary, console=console, rows=shown.links)
    for job in summary.jobs:
        say(console, _slowest(job))
    for line in _key(summary, steps=shown.steps):
        say(console, line, style="dim")
    if shown.plan:
        print_plans(summary, console=console, steps=shown.steps)
    for job, motifs in zip(summary.jobs, shown.chains, strict=False):
        if shown.steps and motifs > len(job.steps):
            left = f"the {len(job.steps)} motifs that took longest; {motifs - len(job.steps):,} more with --motifs 0"
            say(console, f"{job.name}: {left}.", style="dim")
    _say_few(console, [((one.kind, one.job), f"warning: {_about(one.job)}{one.text}") for one in summary.warnings])
    names = {job.job: job.name for job in summary.jobs}
    engine = [
        ((one.kind, one.job), f"{one.severity} from the engine: {_about(names.get(one.job))}{one.message}")  # type: ignore[arg-type]
        for one in summary.events
    ]
    _say_few(console, engine)


def _say_few(console: Console, told: Sequence[tuple[tuple[str, object], str]]) -> None:
    """Of many sentences of one kind about one job the first ones: a chain of thousands of motifs has as many."""
    seen: Counter[tuple[str, object]] = Counter()
    for about, sentence in told:
        seen[about] += 1
        if seen[about] <= _ALIKE:
            say(console, sentence, style="yellow")
    for (kind, _), count_ in seen.items():
        if count_ > _ALIKE:
            say(console, f"{count_ - _ALIKE:,} more like it ({kind}); --json has all of them", style="yellow")


def _head(facts: RunFacts) -> list[str]:
    planned = "" if facts.rounds_planned is None else f" of {facts.rounds_planned}"
    reason = f" ({facts.end_reason})" if facts.end_reason else " (no end record)"
    state = "complete" if facts.complete else "INCOMPLETE"
    hosts = count(facts.hosts, "host")
    return [
        f"{facts.path}: {facts.workload} on {count(facts.ranks, 'rank')}, {count(facts.nodes, 'node')}, {hosts}",
        *([f"SIMULATED by {printable(facts.simulated)}: all times are its own"] if facts.simulated else []),
        f"{facts.mpi.split(',')[0]}{f', {facts.transports}' if facts.transports else ''}; seed {facts.seed}; "
        f"placement {facts.placement}; finish {facts.finish}; started {facts.started_at}",
        f"{facts.rounds_done}{planned} rounds done in {count(facts.launches, 'launch').replace('launchs', 'launches')}"
        f", {state}{reason}",
    ]


def _times(summary: RunSummary, *, steps: bool) -> Table:
    table = new_table(
        left=("job / motif", "round"),
        right=("n", "min", "median", "p95", "max", "unit"),
        last=("congestion impact [95 %]",),
    )
    for job in summary.jobs:
        title = printable(job.name) if job.role is Role.measured else f"{printable(job.name)} (background)"
        _add_rows(table, Text(title, style="bold"), job.timing)
        for step in job.steps if steps else ():
            _add_rows(table, Text(f"  {_step_title(step)}"), step.timing)
        table.add_section()
    return table


def _step_title(step: StepSummary) -> str:
    carried = "" if step.size_bytes is None else f" {size(step.size_bytes)}"
    measured = "" if step.quantity == "time" else f", {step.quantity}"
    return printable(f"{step.step} {step.motif}{carried}{measured}")


def _add_rows(table: Table, title: Text, timing: Timing) -> None:
    impact = timing.impact
    ratio = ratio_text(impact.ratio, impact.low, impact.high)
    rows = [(kind, spread) for kind, spread in _kinds(timing) if spread is not None]
    unit = time_unit(spread.median for _, spread in rows)
    for index, (kind, spread) in enumerate(rows):
        first = index == 0
        table.add_row(title if first else "", kind, *_cells(spread, unit), ratio if index == len(rows) - 1 else "")
    if not rows:
        table.add_row(title, MISSING, "0", *([MISSING] * 4), "", MISSING)


def _kinds(timing: Timing) -> tuple[tuple[str, Distribution | None], ...]:
    return (("isolated", timing.isolated_s), ("contended", timing.contended_s))


def _cells(spread: Distribution, unit: TimeUnit) -> Iterable[str]:
    times = (time(value, unit=unit) for value in (spread.min, spread.median, spread.p95, spread.max))
    return (str(spread.count), *times, unit.name)


def _print_extras(summary: RunSummary, console: Console) -> None:
    """Bandwidths and the motifs' own metrics, where there are any."""
    table = new_table(left=("job", "motif", "measured by the motif"), right=("isolated", "contended"))
    definitions = []
    for job in summary.jobs:
        for step in job.steps:
            title = (printable(job.name), printable(f"{step.step} {step.motif}"))
            if step.bandwidth_definition and (step.isolated_bytes_per_s or step.contended_bytes_per_s):
                values = (step.isolated_bytes_per_s, step.contended_bytes_per_s)
                table.add_row(*title, "bandwidth", *(rate(value) for value in values))
                definitions.append(f"bandwidth of {step.motif}: {step.bandwidth_definition}; 1 MB = 10^6 bytes")
            for metric in step.metrics:
                table.add_row(*title, printable(metric.name), *_medians(metric))
    if table.row_count:
        print_table(console, table)
        console.print()
        say(console, "Medians over rounds of each round's median; a metric is the largest value over the ranks.")
        for definition in dict.fromkeys(definitions):
            say(console, definition)


def _medians(metric: MetricSummary) -> tuple[str, str]:
    isolated, contended = (None if spread is None else spread.median for spread in (metric.isolated, metric.contended))
    return measured(metric.name, isolated), measured(metric.name, contended)


def _slowest(job: JobSummary) -> str:
    slowest = job.timing.slowest
    if slowest is None:
        return f"{job.name}: no measured samples"
    rank = f"slowest rank {slowest.rank} in {slowest.rank_share:.0%} of {slowest.samples} samples"
    if job.hosts < 2:
        return f"{job.name}: {rank}, all on one host"
    return f"{job.name}: slowest host {slowest.host} in {slowest.host_share:.0%}, {rank}"


def _key(summary: RunSummary, *, steps: bool) -> Iterable[str]:
    yield "Times are until the last rank was through: a job's of one repetition" + (
        ", a motif's of one iteration." if steps else "."
    )
    yield "median: over rounds, of each round's median; min, p95 and max: of all n repetitions."
    drawn = any(job.timing.impact.method is Method.bootstrap for job in summary.jobs)
    middle = "the middle of the blocks' own ratios, with its 95 %"
    if drawn:
        middle = "the ratio of medians, with its 95 % BCa bootstrap"
    yield f"Congestion impact is contended over isolated time, {middle} interval; 1 is no impact."
    if summary.facts.includes_extra:
        yield "Contended samples include the extra repetitions of jobs that were done early."
    for job in summary.jobs:
        if job.timing.impact.ratio is None:
            yield f"{job.name}: no congestion impact: {job.timing.impact.reason}."


def _about(job: str | None) -> str:
    return "" if job is None else f"{job}: "
