"""b_eff in the terminal: the number, what it is made of, and what the paper published."""

from rich.table import Table

from stressbench.console import Console
from stressbench.formats.protocols.beff import Kind
from stressbench.report.terminal.page import new_table, print_table
from stressbench.report.units import MISSING, digits, rate, size
from stressbench.suites.beff import BEff
from stressbench.suites.hpcc import Rmax
from stressbench.suites.published import SOURCE, TABLE_1

PUBLISHED_HEADS = (
    "processors", "b_eff", "a proc.", "Lmax MB", "ping-pong", "at Lmax", "a proc.", "rings, a proc.",
)  # fmt: skip


def published_rows() -> tuple[tuple[str, ...], ...]:
    """The system and the columns of `PUBLISHED_HEADS`, MB/s."""
    return tuple(
        (
            one.system, str(one.processors), f"{one.b_eff:g}", f"{one.per_processor:g}", str(one.lmax_mb),
            MISSING if one.pingpong is None else f"{one.pingpong:g}", f"{one.at_lmax:g}",
            f"{one.per_processor_at_lmax:g}", f"{one.rings_per_processor_at_lmax:g}",
        )
        for one in TABLE_1
    )  # fmt: skip


def said_balance(found: BEff, rmax: Rmax) -> str:
    """The balance factor as a sentence."""
    factor = digits(found.b_eff / rmax.flops_per_s)
    return f"balance: {factor} bytes a floating-point operation (b_eff / Rmax; Rmax {said_rmax(rmax)})"


def said_rmax(rmax: Rmax) -> str:
    """`12.3 GFlop/s, hpcc, N = 8000, on 4 ranks`."""
    return f"{digits(rmax.flops_per_s / 1e9)} GFlop/s, {rmax.source}"


def said_untimed(found: BEff) -> str | None:
    """The paper's check of itself: time outside of loops, where it is more than 5 %."""
    if found.elapsed_s is None or found.timed_s >= 0.95 * found.elapsed_s:
        return None
    return f"{1 - found.timed_s / found.elapsed_s:.0%} of {digits(found.elapsed_s)} s lay outside of timed loops"


def print_beff(console: Console, found: BEff, *, rmax: Rmax | None) -> None:
    """Every average, each pattern but the random ones, and what a reader must know."""
    table = new_table(left=("",), right=("all ranks", "a rank"))

    def row(name: str, value: float | None) -> None:
        table.add_row(name, rate(value), rate(None if value is None else value / found.ranks))

    row("b_eff", found.b_eff)
    row("  rings", found.rings)
    row("  random patterns", found.polygons)
    row("at Lmax", found.at_lmax)
    row("  rings", found.rings_at_lmax)
    if found.pingpong is not None:
        table.add_row("ping-pong at Lmax", "", rate(found.pingpong))
    console.print(
        f"{found.ranks} ranks, Lmax {size(found.lmax_bytes)}, random patterns {found.random}, seed {found.seed}"
    )
    print_table(console, table)
    print_table(console, _patterns(found))
    if rmax is not None:
        console.print(said_balance(found, rmax), soft_wrap=True)
    for reason in found.reduced:
        console.print(f"not comparable with published numbers: {reason}", soft_wrap=True)
    if (untimed := said_untimed(found)) is not None:
        console.print(f"CAUTION: {untimed}", soft_wrap=True)


def _patterns(found: BEff) -> Table:
    patterns = new_table(left=("pattern",), right=("mean over sizes", "at Lmax"), last=("best method at Lmax",))
    longest = max(found.patterns[0].best)
    for one in found.patterns:
        if one.kind is Kind.random:
            continue
        best = max(one.methods, key=lambda method: one.methods[method].get(longest, 0.0))
        patterns.add_row(one.name, rate(one.mean), rate(one.best[longest]), best)
    return patterns


def print_published(console: Console) -> None:
    """The paper's Table 1."""
    console.print(f"\nPublished, not measured here: {SOURCE} (MB/s)")
    table = new_table(left=("system",), right=PUBLISHED_HEADS)
    for row in published_rows():
        table.add_row(*row)
    print_table(console, table)
