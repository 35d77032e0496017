"""What a program suffers, in the terminal: rings, how busy each keeps the switch, slow-downs beside it, doubts."""

from rich.table import Table

from stressbench.console import Console
from stressbench.interference.compression_analysis import CompressionResult, LevelResult
from stressbench.report.section import printable
from stressbench.report.terminal.impact_table import said_utilisation
from stressbench.report.terminal.page import new_table, print_table, say
from stressbench.report.units import MISSING, count, factor, interval, percent, size, time, time_unit

_WIDEST_BAR = 24
_KEY = (
    "slow-down: time beside the ring over time alone, 1 is not slowed; intervals: 95 %; bars: slow-down - 1. "
    "P: ranks that each sends to, M: messages to each, bubble: the sleep before it waits for them."
)


def print_compression(found: CompressionResult, *, name: str, nodes: int, by_rounds: bool, console: Console) -> None:
    """All of it; `nodes` hosts hold the ring. `by_rounds`: times are those of a workload's rounds."""
    console.print(_setting(found, name=name, nodes=nodes, by_rounds=by_rounds), soft_wrap=True)
    print_table(console, _levels(found))
    if found.drift is not None:
        drift = found.drift
        say(
            console,
            f"idle again, afterwards: {factor(drift.centre)}× the latencies before {interval(drift.low, drift.high)}",
        )
    for caution in found.cautions:
        say(console, f"CAUTION: {caution}")
    say(console, _KEY, style="dim")


def _setting(found: CompressionResult, *, name: str, nodes: int, by_rounds: bool) -> str:
    ordered = sorted(found.alone_s)
    middle = ordered[len(ordered) // 2]
    kind = "round" if by_rounds else "run"
    sizes = sorted({one.configuration.message_bytes for one in found.levels})
    return (
        f"{printable(name)}: {time(middle)} alone ({count(len(ordered), kind)}), "
        f"beside rings on {count(nodes, 'host')} with messages of {', '.join(size(one) for one in sizes)}"
    )


def _levels(found: CompressionResult) -> Table:
    unit = time_unit((found.idle.mean_s, *(one.probes.mean_s for one in found.levels)))
    longest = max((one.slowdown.centre - 1 for one in found.levels if one.slowdown is not None), default=0.0)
    table = new_table(
        left=(),
        right=("P", "M", "bubble", "probes", f"mean / {unit.name}", "utilisation / %", "slow-down [95 %]"),
        last=("", "cannot tell"),
    )
    table.add_row("", "", "idle", f"{found.idle.count:,}", time(found.idle.mean_s, unit=unit), "", "", "", "")
    for one in found.levels:
        ring, busy = one.configuration, one.utilisation
        table.add_row(
            str(ring.partners), str(ring.messages), time(ring.pause_s), f"{one.probes.count:,}",
            time(one.probes.mean_s, unit=unit), _busy(one), _slowdown(one), _bar(one, longest), busy.reason or "",
        )  # fmt: skip
    return table


def _busy(one: LevelResult) -> str:
    busy = one.utilisation
    if busy.value is None:
        return MISSING if busy.low is None else f"at least {percent(busy.low)}"
    return said_utilisation(busy).replace(" %", "")


def _slowdown(one: LevelResult) -> str:
    if one.slowdown is None:
        return MISSING if one.at_least is None else f"at least {factor(one.at_least)}"
    return f"{factor(one.slowdown.centre)} {interval(one.slowdown.low, one.slowdown.high)}"


def _bar(one: LevelResult, longest: float) -> str:
    if one.slowdown is None or longest <= 0:
        return ""
    return "█" * round(_WIDEST_BAR * max(0.0, one.slowdown.centre - 1) / longest)
