"""A portrait in sentences and tables of words, which pages and formats for people print each in its way."""

from collections.abc import Iterator

from stressbench.interference.profile_summary import LevelSummary, ProfileSummary
from stressbench.report.leaf import Leaf, Sheet
from stressbench.report.sensitivity.shown import Shown
from stressbench.report.terminal.impact_table import said_utilisation
from stressbench.report.units import MISSING, count, factor, factor_with, interval, percent, size, time, time_unit
from stressbench.report.words import percent_name, percentile_text

_MOST_LINKS = 40


def leaf_of(shown: Shown) -> Leaf:
    """All that formats for people print of one application."""
    said = shown.said
    return Leaf(
        title=f"{said.application} on {said.machine}", kind="Sensitivity", headline=" ".join(findings(said)),
        sheets=tuple(sheets_of(said)), notes=notes_of(shown),
    )  # fmt: skip


def notes_of(shown: Shown) -> tuple[str, ...]:
    """What is missing, and what is doubtful."""
    return (*shown.said.missing, *shown.cautions)


def findings(said: ProfileSummary) -> Iterator[str]:
    """What the application does, what it suffers, in sentences."""
    if said.ours is not None:
        yield f"{said.application} {_does(said)}"
    known = [one for one in said.levels if one.utilisation.value is not None]
    if known:
        worst = max(known, key=lambda one: one.slowdown.centre)
        shown = factor_with(worst.slowdown.centre, worst.slowdown.low, worst.slowdown.high)
        yield (
            f"It takes up to {shown} as long beside a ring that keeps the switch busy for "
            f"{percent(worst.utilisation.value)} % of the time."
        )
    elif said.levels:
        yield f"It was run beside {count(len(said.levels), 'ring')}; how busy they keep the switch nobody can tell."
    if said.ours is None and not said.levels:
        yield f"Of {said.application} only the idle machine is known."


def _does(said: ProfileSummary) -> str:
    assert said.ours is not None
    if said.ours.value is None:
        return f"and the switch: {said_utilisation(said.ours)}."
    phases = f", in {count(len(said.phases), 'phase')}" if len(said.phases) > 1 else ""
    return f"keeps the switch busy for {said_utilisation(said.ours)} of the time{phases}."


def sheets_of(said: ProfileSummary) -> Iterator[Sheet]:
    """Tables that have something to tell, in order."""
    yield _latencies(said)
    if said.ours is not None and said.paper is not None:
        yield _utilisations(said)
    if len(said.phases) > 1:
        yield _phases(said)
    if said.levels:
        yield _levels(said)
    if said.links:
        yield _links(said.links)


def _latencies(said: ProfileSummary) -> Sheet:
    sides = [("idle", said.idle), *([] if said.beside is None else [("beside it", said.beside)])]
    unit = time_unit(one.value_s for _, side in sides for one in side.percentiles)
    shares = [f"p{percent_name(one.share)} [95 %]" for one in said.idle.percentiles]
    return Sheet(
        title=f"Latencies, one way, in {unit.name}",
        words=1,
        head=("probes", "n", "mean", *shares),
        body=tuple(
            (name, f"{side.count:,}", time(side.mean_s, unit=unit),
             *(percentile_text(one, unit) for one in side.percentiles))
            for name, side in sides
        ),
        reading=f"Of {said.probe.message_bytes:,} B by {count(said.probe.pairs, 'pair')} every "
        f"{time(said.probe.interval_s)}; half a round trip each.",
    )  # fmt: skip


def _utilisations(said: ProfileSummary) -> Sheet:
    assert said.ours is not None
    assert said.paper is not None
    effect = said.effect
    probes = "nobody measured it" if effect is None else f"{factor(effect.centre)} {interval(effect.low, effect.high)}"
    return Sheet(
        title="The switch beside the application",
        words=2,
        head=("what", "is"),
        body=(
            ("utilisation", said_utilisation(said.ours)),
            ("utilisation as in the paper", said_utilisation(said.paper)),
            ("the application's time with probes / without", probes),
        ),
        reading="Shares of the time in which the switch serves somebody, by the M/G/1 queue, with 95 % intervals; the "
        "paper takes the least idle latency for the service, here it is the mean one.",
    )


def _phases(said: ProfileSummary) -> Sheet:
    return Sheet(
        title="Phases",
        words=1,
        head=("phase", "from / s", "to / s", "utilisation / %", "95 % interval"),
        body=tuple(
            (str(number), f"{one.began_s:.1f}", f"{one.ended_s:.1f}", percent(one.utilisation),
             f"[{percent(one.low)}, {percent(one.high)}]")
            for number, one in enumerate(said.phases, start=1)
        ),
        reading="From the application's start; within a phase latencies are alike.",
    )  # fmt: skip


def _levels(said: ProfileSummary) -> Sheet:
    unit = time_unit(one.probes.mean_s for one in said.levels)
    alone = f"{said.alone_runs:,} times alone"
    middle = "" if said.alone_median_s is None else f", of which the middle is {time(said.alone_median_s)}"
    return Sheet(
        title="Beside compressions",
        words=1,
        head=("ring", "message", "n", f"mean / {unit.name}", "utilisation / %", "runs", "slow-down [95 %]"),
        body=tuple(
            (_ring(one), size(one.configuration.message_bytes), f"{one.probes.count:,}",
             time(one.probes.mean_s, unit=unit), said_busy(one), f"{one.runs:,}",
             f"{factor(one.slowdown.centre)} {interval(one.slowdown.low, one.slowdown.high)}")
            for one in said.levels
        ),
        reading="The least busy first. P: partners that each rank sends to, M: messages to each, B: the sleep before "
        f"it waits for them; n probes. Slow-down: time beside it over time alone, from {alone}{middle}.",
    )  # fmt: skip


def _ring(one: LevelSummary) -> str:
    ring = one.configuration
    return f"P = {ring.partners}, M = {ring.messages}, B = {time(ring.pause_s)}"


def said_busy(one: LevelSummary) -> str:
    """`41.2 [38.0, 44.9]`, what it is at least, or a dash."""
    busy = one.utilisation
    if busy.value is None:
        return MISSING if busy.low is None else f"at least {percent(busy.low)}"
    return said_utilisation(busy).replace(" %", "")


def _links(links: dict[str, float]) -> Sheet:
    ordered = sorted(links.items(), key=lambda one: (-one[1], one[0]))
    more = f" The busiest {_MOST_LINKS} of {len(ordered):,}." if len(ordered) > _MOST_LINKS else ""
    return Sheet(
        title="Links",
        words=1,
        head=("link", "used / %"),
        body=tuple((name, percent(share)) for name, share in ordered[:_MOST_LINKS]),
        reading=f"Share of each link's capacity, by its own counters, probes included.{more}",
    )
