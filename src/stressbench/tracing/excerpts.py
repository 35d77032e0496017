"""The part of a capture that belongs to one step of a chain of motifs, as a trace of its own. Pure.

A chain makes the calls of an iteration step by step. The trace of a step has the calls of that step only, with the
computation before its first call, which the program spent after the last call of the step before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, pairwise

import orjson
from pydantic import TypeAdapter

from stressbench.formats.trace import Gap, RankTrace, Trace
from stressbench.formats.trace.line import with_checksum
from stressbench.formats.trace.records import TraceEnd, TraceHeader
from stressbench.tracing.grammar import expand
from stressbench.tracing.iterations import Iterations

_RANK = TypeAdapter(RankTrace)
_HEADER = TypeAdapter(TraceHeader)
_END = TypeAdapter(TraceEnd)


def lines_of_step(
    trace: Trace, iterations: Iterations, lengths: Sequence[Sequence[int]], *, step: int, first_call_only: bool = False
) -> Iterator[bytes]:
    """The lines of the trace of one step. `trace` holds whole iterations.

    `lengths`: number of calls in an iteration, by rank and step. `first_call_only`: of the step, only its first call.
    """
    yield _line("header", _HEADER.dump_python(trace.header, mode="json", exclude_none=True))
    for rank, own_lengths in zip(trace.ranks(), lengths, strict=True):
        part = _step_of(rank, own_lengths, step, times=iterations.times, most=1 if first_call_only else None)
        yield _line("rank", _RANK.dump_python(part, mode="json", exclude_none=True))
    end = TraceEnd(ranks=trace.header.ranks, complete=True)
    yield _line("end", _END.dump_python(end, mode="json"))


def _step_of(rank: RankTrace, lengths: Sequence[int], step: int, *, times: int, most: int | None) -> RankTrace:
    numbers = tuple(islice(expand(rank.rules or ()), sum(lengths)))
    start = sum(lengths[:step])
    part = numbers[start : start + lengths[step]][:most]
    gaps = {(gap.before, gap.after): gap for gap in rank.gaps or ()}
    kept: dict[tuple[int, int], Gap] = {pair: gaps[pair] for pair in pairwise(part) if pair in gaps}
    if part:
        before = (numbers[start - 1], part[0])  # of the first step: the last call of the iteration before
        first = gaps.get(before) or gaps.get((-1, part[0]))
        if first is not None:
            kept[-1, part[0]] = first._replace(before=-1)
    rules = (((-1, times),), tuple((number, 1) for number in part)) if part else ((),)
    return replace(
        rank, totals=(), gaps=tuple(kept.values()), rules=rules, sequence_calls=len(part) * times, timeline=None,
        gap_times_ns=_times_of(rank.gap_times_ns, start, len(part), every=sum(lengths)), peers=None, sizes=None,
        objects=None, tail_s=0.0,
    )  # fmt: skip


def _times_of(gap_times_ns: Sequence[int] | None, start: int, calls: int, *, every: int) -> tuple[int, ...] | None:
    """The times before calls `start` to `start` + `calls` - 1 of each iteration of `every` calls."""
    if gap_times_ns is None or not every:
        return None
    starts = range(start, len(gap_times_ns), every)
    return tuple(time_ns for first in starts for time_ns in gap_times_ns[first : first + calls])


def _line(kind: str, values: object) -> bytes:
    assert isinstance(values, dict)
    return with_checksum(orjson.dumps({"type": kind, **values}))
