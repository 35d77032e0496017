"""Parts of a capture as traces of their own. Pure.

A chain makes the calls of an iteration step by step. The trace of a step has the calls of that step only, with the
computation before its first call, which the program spent after the last call of the step before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice, pairwise

import orjson
from pydantic import TypeAdapter

from stressbench.formats.trace import Call, Gap, RankTrace, Trace
from stressbench.formats.trace.line import with_checksum
from stressbench.formats.trace.records import TraceEnd, TraceHeader
from stressbench.tracing.grammar import Rules, expand
from stressbench.tracing.iterations import Iterations, update_pending
from stressbench.tracing.operations import COMPLETION_TOKENS, NULL_REQUEST, PERSISTENT_INITS, START_CALLS, is_one_sided

_RANK = TypeAdapter(RankTrace)
_HEADER = TypeAdapter(TraceHeader)
_END = TypeAdapter(TraceEnd)


def lines_of_step(
    trace: Trace, iterations: Iterations, lengths: Sequence[Sequence[int]], *, step: int, first_call_only: bool = False
) -> Iterator[bytes]:
    """The lines of the trace of one step. `trace` holds whole iterations.

    `lengths`: number of calls in an iteration, by rank and step. `first_call_only`: of the step, only its first call.
    """
    return lines_of_parts(
        trace.header,
        (
            _step_of(rank, own_lengths, step, times=iterations.times, most=1 if first_call_only else None)
            for rank, own_lengths in zip(trace.ranks(), lengths, strict=True)
        ),
    )


def lines_of_parts(header: TraceHeader, ranks: Iterable[RankTrace]) -> Iterator[bytes]:
    """The lines of a trace with these lines of ranks."""
    yield _line("header", _HEADER.dump_python(header, mode="json", exclude_none=True))
    for rank in ranks:
        yield _line("rank", _RANK.dump_python(rank, mode="json", exclude_none=True))
    yield _line("end", _END.dump_python(TraceEnd(ranks=header.ranks, complete=True), mode="json"))


def part_of_rank(rank: RankTrace, numbers: Sequence[int], *, before: int | None) -> RankTrace | None:
    """Successive calls of a rank by number, with the computation since the call `before` them.

    Communicators that others of its calls create exist before them. None if they use requests, files or windows that
    are created before them, or leave requests pending.
    """
    pending: set[int] = set()
    persistent: set[int] = set()
    for number in numbers:
        call = rank.calls[number]
        if call.op in PERSISTENT_INITS and call.request is not None:
            persistent.add(call.request)
        own = {slot for slot in call.requests or () if slot != NULL_REQUEST}
        if (call.op in START_CALLS and not own <= persistent) or (call.op in COMPLETION_TOKENS and not own <= pending):
            return None
        if is_one_sided(call.op) or call.op.startswith("File_"):
            return None
        update_pending(pending, call)
    if pending:
        return None
    gaps = {(gap.before, gap.after): gap for gap in rank.gaps or ()}
    kept = _gaps_of(gaps, numbers, before=-1 if before is None else before)
    rules = (tuple((number, len(list(same))) for number, same in groupby(numbers)),)
    rank = replace(rank, calls=tuple(_calls_of_part(rank, frozenset(numbers))))
    return _only(rank, rules=rules, calls=len(numbers), gaps=kept, gap_times_ns=None)


def _calls_of_part(rank: RankTrace, numbers: frozenset[int]) -> Iterator[Call]:
    """The calls of a rank, of which those that the part does not have create nothing whose members are known."""
    for number, call in enumerate(rank.calls):
        creates = number in numbers or call.made is None or rank.comms[call.made].members is None
        yield call if creates else replace(call, made=None)


def _step_of(rank: RankTrace, lengths: Sequence[int], step: int, *, times: int, most: int | None) -> RankTrace:
    numbers = tuple(islice(expand(rank.rules or ()), sum(lengths)))
    start = sum(lengths[:step])
    part = numbers[start : start + lengths[step]][:most]
    gaps = {(gap.before, gap.after): gap for gap in rank.gaps or ()}
    # before the first step: the last call of the iteration before
    kept = _gaps_of(gaps, part, before=numbers[start - 1]) if part else ()
    rules = (((-1, times),), tuple((number, 1) for number in part)) if part else ((),)
    gap_times_ns = _times_of(rank.gap_times_ns, start, len(part), every=sum(lengths))
    return _only(rank, rules=rules, calls=len(part) * times, gaps=kept, gap_times_ns=gap_times_ns)


def _gaps_of(gaps: Mapping[tuple[int, int], Gap], part: Sequence[int], *, before: int) -> tuple[Gap, ...]:
    """The gaps between successive calls of a part, and that before its first call."""
    kept = {pair: gaps[pair] for pair in pairwise(part) if pair in gaps}
    first = (gaps.get((before, part[0])) or gaps.get((-1, part[0]))) if part else None
    if first is not None:
        kept[-1, part[0]] = first._replace(before=-1)
    return tuple(kept.values())


def _only(
    rank: RankTrace, *, rules: Rules, calls: int, gaps: tuple[Gap, ...], gap_times_ns: tuple[int, ...] | None
) -> RankTrace:  # fmt: skip
    """The line of a rank with this sequence, and without statistics of the whole."""
    return replace(
        rank, totals=(), gaps=gaps, rules=tuple(rules), sequence_calls=calls, timeline=None, gap_times_ns=gap_times_ns,
        peers=None, sizes=None, objects=None, tail_s=0.0,
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
