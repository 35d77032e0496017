"""What `stressbench trace show` and `diff` print."""

from collections.abc import Sequence

from stressbench.console import Console
from stressbench.formats.trace import RankTrace, Stream, Trace
from stressbench.report.names import printable
from stressbench.report.renderers.text import new_table, print_table, say
from stressbench.report.units import MISSING, count, time
from stressbench.tracing.diff import Difference, SequenceDifference
from stressbench.tracing.outline import Line

_MOST_RANKS = 64
_MOST_DIFFERENCES = 16


def print_ranks(trace: Trace, *, console: Console) -> None:
    """The header, and a line a rank."""
    header = trace.header
    hosts = "" if header.hosts is None else f" on {count(header.hosts, 'host')}"
    say(
        console,
        f"{trace.path}: {header.mode.value} of {header.program or MISSING}, {count(header.ranks, 'rank')}{hosts}",
    )
    say(console, f"{header.library or MISSING}; started {header.started or MISSING}")
    table = new_table(
        left=("rank", "ended"), right=("time", "in MPI", "calls", "in order", "distinct", "rules"), last=("lost",)
    )
    for number, rank in enumerate(trace.ranks()):
        if number == _MOST_RANKS:
            break
        table.add_row(*_cells(rank))
    console.print()
    print_table(console, table)
    if len(trace.places) > _MOST_RANKS:
        say(console, f"and {len(trace.places) - _MOST_RANKS:,} ranks more; --rank R shows any of them")


def _cells(rank: RankTrace) -> tuple[str, ...]:
    streams = rank.threads_apart()
    known = [stream for stream in streams if stream.rules is not None]
    in_order = sum(stream.sequence_calls or 0 for stream in known)
    lost = dict.fromkeys(loss.what for stream in streams for loss in stream.lost or ())
    return (
        f"{rank.rank}", rank.ended.value, time(rank.wall_s), time(sum(total.time_s for total in rank.totals)),
        f"{sum(total.calls for total in rank.totals):,}", f"{in_order:,}" if known else MISSING,
        f"{sum(len(stream.calls) for stream in streams):,}",
        f"{sum(len(stream.rules or ()) for stream in known):,}" if known else MISSING, printable(", ".join(lost)),
    )  # fmt: skip


def print_outline(
    rank: RankTrace, stream: Stream, lines: Sequence[Line], *, thread: int, more: bool, console: Console
) -> None:
    """The structure of one rank's (and thread's) sequence."""
    console.print()
    name = f"rank {rank.rank}" + (f", thread {thread}" if thread else "")
    if stream.rules is None:
        say(console, f"{name}: no sequence")
        return
    say(console, f"{name}: {stream.sequence_calls or 0:,} calls in order")
    for line in lines:
        say(console, "  " * (line.depth + 1) + line.text)
    if more:
        say(console, "  ... (--lines shows more)")


def print_difference(found: Difference, *, console: Console) -> None:
    """Where sequences part and how totals differ, or that they are the same."""
    say(console, f"A: {found.a}")
    say(console, f"B: {found.b}")
    for note in found.notes:
        say(console, f"note: {note}", style="yellow")
    if found.same:
        say(console, f"the same: {count(found.sequences_compared, 'sequence')}, call by call, and all totals")
        return
    parted = len(found.sequences)
    say(console, f"{parted:,} of {count(found.sequences_compared, 'sequence')} differ{'s' if parted == 1 else ''}")
    for part in found.sequences[:_MOST_DIFFERENCES]:
        _print_parting(part, console)
    if parted > _MOST_DIFFERENCES:
        say(console, f"and {parted - _MOST_DIFFERENCES:,} more")
    if found.totals:
        table = new_table(left=("call",), right=("calls A", "calls B", "bytes A", "bytes B"))
        for total in found.totals:
            numbers = (total.a_calls, total.b_calls, total.a_bytes, total.b_bytes)
            table.add_row(printable(total.op), *(f"{number:,}" for number in numbers))
        console.print()
        print_table(console, table)


def _print_parting(part: SequenceDifference, console: Console) -> None:
    name = f"rank {part.rank}" + (f", thread {part.thread}" if part.thread else "")
    console.print()
    say(console, f"{name}: equal up to call {part.place:,}; A has {part.a_calls:,} calls, B has {part.b_calls:,}")
    say(console, f"    before: {'  '.join(part.before) or '(the start)'}")
    say(console, f"    A: {'  '.join(part.a) or '(the end)'}")
    say(console, f"    B: {'  '.join(part.b) or '(the end)'}")
