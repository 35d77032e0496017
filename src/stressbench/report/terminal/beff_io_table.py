"""b_eff_io in the terminal: every access method and type, partitions, the number, and what makes it doubtful."""

from collections.abc import Iterable

from rich.table import Table

from stressbench.console import Console
from stressbench.formats.protocols.beff_io import Access
from stressbench.formats.protocols.io_patterns import TYPE_NAMES, TYPES
from stressbench.formats.units import minutes_text
from stressbench.report.terminal.page import new_table, print_table
from stressbench.report.units import MISSING, count, digits, rate, size, time
from stressbench.suites.beff_io import COFFEE_CUP_LIMIT_S, BEffIO, Partition
from stressbench.suites.published import FIGURE_3, IO_SOURCE

TYPE_HEADS = tuple(f"{number} {name}" for number, name in zip(TYPES, TYPE_NAMES, strict=True))
PUBLISHED_HEADS = ("partition", "T / min", "b_eff_io")


def mega(value: float | None) -> str:
    """Bytes/s as MB/s."""
    return MISSING if value is None else digits(value / 1e6)


def published_rows() -> tuple[tuple[str, ...], ...]:
    """The system and the columns of `PUBLISHED_HEADS`, MB/s."""
    return tuple((one.system, one.size, str(one.minutes), f"{one.b_eff_io:g}") for one in FIGURE_3)


def values_rows(found: BEffIO) -> Iterable[tuple[str, ...]]:
    """Ranks, access, MB/s of each type, and the method's value; below each partition, its own."""
    for partition in found.partitions:
        for access in partition.accesses:
            first = f"{partition.ranks}" if access.access is Access.write else ""
            types = (access.of_type(number) for number in TYPES)
            cells = (MISSING if one is None else mega(one.value) for one in types)
            yield (first, access.access.value, *cells, mega(access.value))
        yield ("", "b_eff_io", *("" for _ in TYPES), mega(partition.value))


def said_setting(found: BEffIO) -> str:
    """How it was set up, in a line."""
    head = found.head
    parts = [
        count(head.ranks, "rank"), f"release {head.release}.x",
        f"T {minutes_text(head.scheduled_s)} {'a partition' if head.release == 1 else 'in all'}",
        f"M_PART {size(head.mpart_bytes)}",
        "memory not named" if head.memory_bytes is None else f"memory {size(head.memory_bytes)} a rank",
    ]  # fmt: skip
    parts += [f"at most {size(head.limit_bytes)} of files"] if head.limit_bytes is not None else []
    parts += [f"hints {', '.join(head.hints)}"] if head.hints else []
    return ", ".join(parts)


def said_number(found: BEffIO) -> str:
    """The number, or that there is none."""
    if found.b_eff_io is None:
        return f"{'no number' if found.complete else 'INCOMPLETE, no number'}: {found.missing}"
    return f"b_eff_io: {rate(found.b_eff_io)}, on {count(found.best or 0, 'rank')}"


def said_used(found: BEffIO) -> str | None:
    """How much of T was used."""
    if found.elapsed_s is None:
        return None
    scheduled = minutes_text(found.scheduled_s)
    return f"took {time(found.elapsed_s)}, {found.elapsed_s / found.scheduled_s:.0%} of the {scheduled} scheduled"


def said_files(partition: Partition) -> str | None:
    """What was written, against the least that the definition asks for."""
    if partition.least_bytes is None:
        return None
    written = partition.of(Access.write).bytes
    reached = "" if written >= partition.least_bytes else ": not reached"
    return (
        f"{count(partition.ranks, 'rank')} wrote {size(written)}; the definition's least is "
        f"{size(partition.least_bytes)} (300 s of initial writing){reached}"
    )


def said_balance(found: BEffIO) -> str | None:
    """The coffee-cup rule."""
    if found.balance is None:
        return None
    verdict = "within" if found.balance.holds else "more than"
    return (
        f"writing all memory ({size(found.balance.memory_bytes)}) takes {time(found.balance.write_s)}, {verdict} the "
        f"{minutes_text(COFFEE_CUP_LIMIT_S)} of the coffee-cup rule"
    )


def print_beff_io(console: Console, found: BEffIO) -> None:
    """All of it."""
    console.print(said_setting(found), soft_wrap=True)
    print_table(console, _values(found))
    console.print(said_number(found), soft_wrap=True)
    remarks = (*(said_files(one) for one in found.partitions), said_balance(found), said_used(found))
    for sentence in remarks:
        if sentence is not None:
            console.print(sentence, soft_wrap=True)
    for reason in found.reduced:
        console.print(f"not comparable with published numbers: {reason}", soft_wrap=True)
    for caution in found.cautions:
        console.print(f"CAUTION: {caution}", soft_wrap=True)


def _values(found: BEffIO) -> Table:
    table = new_table(left=("ranks", "MB/s"), right=(*TYPE_HEADS, "value"))
    for row in values_rows(found):
        table.add_row(*row)
    return table


def print_published_io(console: Console) -> None:
    """The paper's numbers."""
    console.print(f"\nPublished, not measured here: {IO_SOURCE} (MB/s)", soft_wrap=True)
    table = new_table(left=("system", "partition"), right=PUBLISHED_HEADS[1:])
    for row in published_rows():
        table.add_row(*row)
    print_table(console, table)
