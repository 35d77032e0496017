"""What probes beside a program found, in the terminal: latencies, how busy the switch was and when, and the doubts."""

from rich.table import Table

from stressbench.console import Console
from stressbench.interference.impact_analysis import ImpactResult, PairEstimate, PhaseEstimate
from stressbench.interference.probes import ProbeSchedule
from stressbench.interference.utilisation import Utilisation
from stressbench.report.section import printable
from stressbench.report.terminal.page import new_table, print_table, say
from stressbench.report.units import MISSING, count, factor, interval, time, time_unit
from stressbench.report.words import percent_name, percentile_text

_MOST_PAIRS = 16
_MOST_LINKS = 4


def print_impact(found: ImpactResult, *, name: str, probing: ProbeSchedule, console: Console) -> None:
    """All of it."""
    console.print(said_setting(name, probing), soft_wrap=True)
    print_table(console, _latencies(found))
    say(console, f"utilisation: {said_utilisation(found.ours)}")
    say(console, f"utilisation as in the paper (Casas and Bronevetsky, IV-B): {said_utilisation(found.paper)}")
    if len(found.phases) > 1:
        print_table(console, _phases(found.phases))
    if len(found.pairs) > 1:
        print_table(console, _pairs(found.pairs[:_MOST_PAIRS]))
        if len(found.pairs) > _MOST_PAIRS:
            say(console, f"The first {_MOST_PAIRS} of {len(found.pairs)} pairs; --json has all.")
    for sentence in (said_links(found), said_drift(found), said_effect(found)):
        if sentence is not None:
            say(console, sentence)
    for caution in found.cautions:
        say(console, f"CAUTION: {caution}")


def said_setting(name: str, probing: ProbeSchedule) -> str:
    """How probes were sent, in a line."""
    return (
        f"{printable(name)}: probes of {probing.message_bytes:,} B by {count(probing.pairs, 'pair')} "
        f"every {time(probing.interval_s)}"
    )


def said_utilisation(found: Utilisation) -> str:
    """`41.2 % [38.0, 44.9]`, or why nobody can tell."""
    if found.value is not None:
        bounds = "no interval" if found.low is None or found.high is None else f"{_pc(found.low)}, {_pc(found.high)}"
        return f"{_pc(found.value)} % [{bounds}]"
    least = "" if found.low is None else f"at least {_pc(found.low)} %; "
    return f"cannot tell: {least}{found.reason}"


def said_links(found: ImpactResult) -> str | None:
    """What counters say of the busiest links; None where nobody counts."""
    if found.links is None:
        return None
    busiest = sorted(found.links.items(), key=lambda one: -one[1])[:_MOST_LINKS]
    told = ", ".join(f"{printable(name)} {_pc(share)} %" for name, share in busiest)
    return f"links by their own counters, the busiest of {len(found.links)}: {told}"


def said_drift(found: ImpactResult) -> str | None:
    """Idle latencies after over before."""
    if found.drift is None:
        return None
    drift = found.drift
    return f"idle again, afterwards: {factor(drift.centre)}× the latencies before {interval(drift.low, drift.high)}"


def said_effect(found: ImpactResult) -> str:
    """What probes did to the program; where nobody looked, how much they sent."""
    effect = found.effect
    if effect.ratio is None:
        return (
            f"probes themselves: at most {found.own_load:.2%} of the switch's time; what they do to the program's own "
            "time nobody measured (--effect N does)"
        )
    ratio = effect.ratio
    runs = f"{count(len(effect.with_probes_s), 'run')} with probes, {len(effect.without_s)} without"
    bounds = interval(ratio.low, ratio.high)
    unsure = " (no interval: it takes 4 and 4)" if bounds == MISSING else f" {bounds}"
    return f"probes made the program {factor(ratio.centre)}× as long{unsure}, {runs}; they took at most " + (
        f"{found.own_load:.2%} of the switch's time"
    )


def _pc(share: float) -> str:
    return f"{100 * share:.1f}"


def _latencies(found: ImpactResult) -> Table:
    sides = (("idle", found.idle), ("beside it", found.loaded))
    unit = time_unit(one.value_s for _, side in sides for one in side.percentiles)
    shares = [percent_name(one.share) for one in found.idle.percentiles]
    heads = (f"mean / {unit.name}", *(f"p{share} [95 %]" for share in shares))
    table = new_table(left=("one way",), right=("probes", *heads))
    for name, side in sides:
        cells = (time(side.mean_s, unit=unit), *(percentile_text(one, unit) for one in side.percentiles))
        table.add_row(name, f"{side.count:,}", *cells)
    return table


def _phases(phases: tuple[PhaseEstimate, ...]) -> Table:
    table = new_table(left=("phase",), right=("from / s", "to / s", "utilisation / %", "[95 %]"))
    for number, phase in enumerate(phases, 1):
        table.add_row(
            str(number), f"{phase.began_s:.1f}", f"{phase.ended_s:.1f}", _pc(phase.utilisation),
            f"[{_pc(phase.low)}, {_pc(phase.high)}]",
        )  # fmt: skip
    return table


def _pairs(pairs: tuple[PairEstimate, ...]) -> Table:
    unit = time_unit(value for one in pairs for value in (one.idle_median_s, one.loaded_median_s) if value is not None)
    table = new_table(
        left=("pair",), right=(f"idle median / {unit.name}", "beside it", "utilisation / %"), last=("or why not",)
    )
    for one in pairs:
        busy = one.utilisation
        table.add_row(
            printable(" - ".join(one.hosts)),
            time(one.idle_median_s, unit=unit),
            time(one.loaded_median_s, unit=unit),
            MISSING if busy.value is None else said_utilisation(busy).replace(" %", ""),
            busy.reason or "",
        )
    return table
