"""The contents of a sensitivity profile in sentences and tables."""

from collections.abc import Iterator

from stressbench.interference.profile_summary import LevelSummary, ProfileSummary
from stressbench.interference.utilisation import Utilisation
from stressbench.report.document import Table, table_columns
from stressbench.report.interference.formatting import (
    UNKNOWN,
    latency_table,
    phase_table,
    slowdown_cell,
    utilisation_cell,
    utilisation_text,
)
from stressbench.report.interference.pauses import pause_text
from stressbench.report.units import count, multiplier_text, percent, size, time, time_unit

_MAX_LINKS = 40


def findings(summary: ProfileSummary) -> Iterator[str]:
    """The load of the application and its slowdown, in sentences."""
    if summary.ours is not None:
        yield _utilisation_sentence(summary, summary.ours)
    known = [one for one in summary.levels if one.utilisation.value is not None]
    if known:
        worst = max(known, key=lambda one: one.slowdown.centre)
        slowdown = multiplier_text(worst.slowdown.centre, worst.slowdown.low, worst.slowdown.high)
        yield (
            f"It takes up to {slowdown} as long beside a ring that keeps the switch busy for "
            f"{percent(worst.utilisation.value)} % of the time."
        )
    elif summary.levels:
        yield f"It was run beside {count(len(summary.levels), 'ring')}; the utilisation of the switch is unknown."
    if summary.ours is None and not summary.levels:
        yield f"The profile of {summary.application} holds idle latencies only."


def _utilisation_sentence(summary: ProfileSummary, utilisation: Utilisation) -> str:
    if utilisation.value is None:
        why = utilisation_text(utilisation).removeprefix(UNKNOWN)
        return f"How busy {summary.application} keeps the switch is unknown: {why}."
    phases = f", in {count(len(summary.phases), 'phase')}" if len(summary.phases) > 1 else ""
    return f"{summary.application} keeps the switch busy for {utilisation_text(utilisation)} of the time{phases}."


def tables_of(summary: ProfileSummary) -> Iterator[Table]:
    """All tables that have content, in order."""
    yield latency_table(
        summary.idle, summary.beside,
        caption=f"Of {summary.probe.message_bytes:,} B by {count(summary.probe.pairs, 'pair')} every "
        f"{time(summary.probe.interval_s)}; half a round trip each.",
    )  # fmt: skip
    if summary.ours is not None and summary.paper is not None:
        yield _utilisations(summary)
    if len(summary.phases) > 1:
        yield phase_table(summary.phases)
    if summary.levels:
        yield _levels(summary)
    if summary.links:
        yield _links(summary.links)


def _utilisations(summary: ProfileSummary) -> Table:
    assert summary.ours is not None
    assert summary.paper is not None
    effect = summary.effect
    probes = "not measured" if effect is None else slowdown_cell(effect)
    return Table(
        title="The switch while the application runs",
        columns=table_columns(("quantity", "value"), text_columns=2),
        rows=(
            ("utilisation", utilisation_text(summary.ours)),
            ("utilisation as in the paper", utilisation_text(summary.paper)),
            ("the application's time with probes / without", probes),
        ),
        caption="Shares of the time in which the switch is busy, by the M/G/1 queue, with 95 % intervals; the "
        "paper's service time is the minimum idle latency; here it is the mean.",
    )


def _levels(summary: ProfileSummary) -> Table:
    unit = time_unit(one.probes.mean_s for one in summary.levels)
    run_count = f"{summary.alone_runs:,} isolated times"
    median_note = "" if summary.alone_median_s is None else f", median {time(summary.alone_median_s)}"
    return Table(
        title="Congestion levels",
        columns=table_columns(
            ("ring", "message", "n", f"mean / {unit.name}", "utilisation / %", "runs", "slowdown [95 %]"),
            text_columns=1,
        ),
        rows=tuple(
            (
                _ring(one),
                size(one.configuration.message_bytes),
                f"{one.probes.count:,}",
                time(one.probes.mean_s, unit=unit),
                utilisation_cell(one),
                f"{one.runs:,}",
                slowdown_cell(one.slowdown),
            )
            for one in summary.levels
        ),
        caption="In order of utilisation. P: partners of each rank, M: messages to each partner, B: "
        f"{pause_text(one.configuration for one in summary.levels)}; n probes. Slowdown: contended over isolated time, "
        f"from {run_count}{median_note}.",
    )


def _ring(one: LevelSummary) -> str:
    ring = one.configuration
    return f"P = {ring.partners}, M = {ring.messages}, B = {time(ring.pause_s)}"


def _links(links: dict[str, float]) -> Table:
    ordered = sorted(links.items(), key=lambda one: (-one[1], one[0]))
    more = f" The busiest {_MAX_LINKS} of {len(ordered):,}." if len(ordered) > _MAX_LINKS else ""
    return Table(
        title="Links",
        columns=table_columns(("link", "used / %"), text_columns=1),
        rows=tuple((name, percent(share)) for name, share in ordered[:_MAX_LINKS]),
        caption=f"Share of each link's capacity, by its own counters, probes included.{more}",
    )
