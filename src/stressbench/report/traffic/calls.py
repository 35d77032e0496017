"""The documents of `stressbench trace show` and `trace diff`: ranks, structures of calls, and differences."""

from collections.abc import Iterator, Sequence

from stressbench.formats.trace import RankTrace, Stream, Trace
from stressbench.report.document import (
    Block,
    Document,
    Heading,
    Note,
    Notes,
    Paragraph,
    Preformatted,
    Section,
    Severity,
    Table,
    columns,
)
from stressbench.report.names import printable
from stressbench.report.units import MISSING, count, time
from stressbench.tracing.diff import Difference, SequenceDifference
from stressbench.tracing.outline import Line

_MAX_RANKS = 64
_MAX_DIFFERENCES = 16


def ranks_section(trace: Trace) -> Section:
    """The header, and a row for each of the first 64 ranks."""
    header = trace.header
    hosts = "" if header.hosts is None else f" on {count(header.hosts, 'host')}"
    blocks: tuple[Block, ...] = (
        Paragraph(
            text=f"{trace.path}: {header.mode.value} of {header.program or MISSING}, "
            f"{count(header.ranks, 'rank')}{hosts}"
        ),
        Paragraph(
            text=f"{header.library or MISSING}; started {header.started or MISSING}"
            if header.timed
            else "the calls that a motif would make, without times"
        ),
        Table(
            columns=columns(
                texts=("rank", "ended"), numbers=("time", "in MPI", "calls", "in order", "distinct", "rules"),
                trailing_texts=("lost",),
            ),
            rows=tuple(
                _cells(rank, timed=header.timed) for _, rank in zip(range(_MAX_RANKS), trace.ranks(), strict=False)
            ),
        ),
    )  # fmt: skip
    if (more := len(trace.positions) - _MAX_RANKS) > 0:
        blocks += (Paragraph(text=f"and {more:,} ranks more; --rank R shows any of them"),)
    return Section(blocks=blocks)


def _cells(rank: RankTrace, *, timed: bool) -> tuple[str, ...]:
    streams = rank.streams_by_thread()
    known = [stream for stream in streams if stream.rules is not None]
    in_order = sum(stream.sequence_calls or 0 for stream in known)
    lost = dict.fromkeys(loss.what for stream in streams for loss in stream.lost or ())
    return (
        f"{rank.rank}", rank.ended.value,
        *(map(time, (rank.wall_s, sum(total.time_s for total in rank.totals))) if timed else (MISSING, MISSING)),
        f"{sum(total.calls for total in rank.totals):,}", f"{in_order:,}" if known else MISSING,
        f"{sum(len(stream.calls) for stream in streams):,}",
        f"{sum(len(stream.rules or ()) for stream in known):,}" if known else MISSING, ", ".join(lost),
    )  # fmt: skip


def outline_section(rank: RankTrace, stream: Stream, lines: Sequence[Line], *, thread: int, more: bool) -> Section:
    """The structure of one rank's (and thread's) sequence of calls; `more`: lines were left out."""
    name = f"rank {rank.rank}" + (f", thread {thread}" if thread else "")
    if stream.rules is None:
        return Section(blocks=(Paragraph(text=f"{name}: no sequence"),))
    shown = [f"{'  ' * (line.depth + 1)}{printable(line.text)}" for line in lines]
    shown += ["  ... (--lines shows more)"] if more else []
    return Section(
        blocks=(
            Paragraph(text=f"{name}: {stream.sequence_calls or 0:,} calls in order"),
            Preformatted(text="\n".join(shown)),
        )
    )


def difference_document(difference: Difference) -> Document:
    """The first difference of each pair of sequences and the differences of totals, or that there is none."""
    return Document(title="", sections=(Section(blocks=tuple(_differences(difference))),), value=difference)


def _differences(difference: Difference) -> Iterator[Block]:
    yield Paragraph(text=f"A: {difference.a}")
    yield Paragraph(text=f"B: {difference.b}")
    yield Notes(notes=tuple(Note(text=note, severity=Severity.note) for note in difference.notes))
    compared, differ = count(difference.sequences_compared, "sequence"), len(difference.sequences)
    if difference.same:
        yield Paragraph(text=f"the same: {compared}, call by call, and all totals")
        return
    yield Paragraph(text=f"{differ:,} of {compared} differ{'s' if differ == 1 else ''}")
    for one in difference.sequences[:_MAX_DIFFERENCES]:
        yield from _difference(one)
    if differ > _MAX_DIFFERENCES:
        yield Paragraph(text=f"and {differ - _MAX_DIFFERENCES:,} more")
    if difference.totals:
        yield Table(
            columns=columns(texts=("call",), numbers=("calls A", "calls B", "bytes A", "bytes B")),
            rows=tuple(
                (one.op, *(f"{number:,}" for number in (one.a_calls, one.b_calls, one.a_bytes, one.b_bytes)))
                for one in difference.totals
            ),
        )


def _difference(one: SequenceDifference) -> tuple[Block, Block]:
    name = f"rank {one.rank}" + (f", thread {one.thread}" if one.thread else "")
    parts = (("before", one.before, "the start"), ("A", one.a, "the end"), ("B", one.b, "the end"))
    shown = (f"    {side}: {printable('  '.join(calls)) or f'({none})'}" for side, calls, none in parts)
    return (
        Heading(text=f"{name}: equal up to call {one.place:,}; A has {one.a_calls:,} calls, B has {one.b_calls:,}"),
        Preformatted(text="\n".join(shown)),
    )
