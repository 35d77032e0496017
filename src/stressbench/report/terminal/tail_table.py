"""Medians and tails: percentiles of each job and motif, alone and contended, and their ratios, all with intervals."""

from rich.text import Text

from stressbench.console import Console
from stressbench.report.names import printable
from stressbench.report.renderers.text import new_table, print_table, say
from stressbench.report.run.words import percent_name, percentile_text, plan_text
from stressbench.report.units import ratio_text, time_unit
from stressbench.stats import RunSummary, Source, Timing

_NO_INTERVAL = (
    "No interval, or an open one (–): it takes 6 values for a median, 72 for percentile 95, 368 for 99 and 3,688 for "
    "99.9, on both sides; values of rounds that differ count for less (--json says how many they are worth)."
)


def print_tails(summary: RunSummary, *, console: Console, steps: bool) -> None:
    """A row for each percentile of each job and motif, then why intervals are missing, and the plain ratios."""
    table = new_table(
        left=("job / motif", "of"),
        right=("percentile", "isolated [95 %]", "contended [95 %]", "unit"),
        last=("contended / isolated [95 %]",),
    )
    parts: list[tuple[str, Timing]] = []
    for job in summary.jobs:
        parts.append((job.name, job.timing))
        parts += [(f"{job.name}: {step.step} {step.motif}", step.timing) for step in job.steps if steps]
    for name, timing in parts:
        unit = time_unit(one.value_s for tail in timing.tails for one in (tail.isolated, tail.contended) if one)
        for index, tail in enumerate(timing.tails):
            sides = (percentile_text(tail.isolated, unit), percentile_text(tail.contended, unit), unit.name)
            title = Text(printable(name) if index == 0 else "")
            table.add_row(
                title, tail.source.value, percent_name(tail.share), *sides, ratio_text(tail.ratio, tail.low, tail.high)
            )
        table.add_section()
    print_table(console, table)
    console.print()
    if any(tail.reason and tail.ratio is not None for _, timing in parts for tail in timing.tails):
        say(console, _NO_INTERVAL, style="dim")
    for name, timing in parts:
        if timing.ratios is not None:
            plain = timing.ratios
            say(
                console,
                f"{name}: contended over isolated samples, min to min {plain.min_to_min:.3f}, median to median "
                f"{plain.median_to_median:.3f}, mean to mean {plain.mean_to_mean:.3f}.",
            )
    if any(tail.source is Source.executions for _, timing in parts for tail in timing.tails):
        say(console, "Of executions: every single one on every rank, to 1 %, a histogram's resolution.", style="dim")


def print_plans(summary: RunSummary, *, console: Console, steps: bool) -> None:
    """How many more blocks each job, and motif, needs."""
    for job in summary.jobs:
        parts = [(job.name, job.timing)]
        parts += [(f"{job.name}: {step.step} {step.motif}", step.timing) for step in job.steps if steps]
        for name, timing in parts:
            if timing.plan is not None:
                say(console, f"plan: {name}: {plan_text(timing.plan, options=True)}")
