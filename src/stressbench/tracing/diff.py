"""Comparison of two captures: the first difference of each rank's call sequence, and differences of totals. Pure."""

from collections import defaultdict, deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import islice, zip_longest

from stressbench.formats.trace import RankTrace, Stream, Trace
from stressbench.tracing.fingerprint import Fingerprint, first_difference
from stressbench.tracing.grammar import ExpandedCalls, expand_bounded, rule_lengths
from stressbench.tracing.operations import COMMUNICATOR_CONSTRUCTORS
from stressbench.tracing.tokens import CallTokenizer, TokenStyle

CONTEXT = 4
MAX_CONTEXT = 1_000
"""The most calls that can be reported around a difference, of which each rank may have one."""
_COMMUNICATOR_CONSTRUCTION = "(makes a communicator)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceDifference:
    """The first difference between the sequences of one thread of a rank; they are equal up to call `place` (from 0).

    `before` holds the last common calls as tokens, `a` and `b` the calls that follow in each capture (empty if the
    sequence has ended). `a_calls` and `b_calls` are the total numbers of calls.
    """

    rank: int
    thread: int
    place: int
    a_calls: int
    b_calls: int
    before: tuple[str, ...]
    a: tuple[str, ...]
    b: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalDifference:
    """An operation with different numbers of calls or bytes over all ranks. Tests that found nothing do not count."""

    op: str
    a_calls: int
    b_calls: int
    a_bytes: int
    b_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Differences between captures `a` and `b`. `sequences_compared` counts pairs of sequences.

    `notes` lists what could not be compared, as sentences.
    """

    a: str
    b: str
    sequences_compared: int
    sequences: tuple[SequenceDifference, ...]
    totals: tuple[TotalDifference, ...]
    notes: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether no difference was found and nothing was left out of the comparison."""
        return not self.sequences and not self.totals and not self.notes


def diff(
    a: Trace, b: Trace, *, style: TokenStyle = TokenStyle.replayed, context: int = CONTEXT,
    left_out: Collection[str] = (),
) -> Difference:  # fmt: skip
    """Compare two captures rank by rank. Only one rank of each is in memory at a time.

    `style` decides which calls are equal; `context` is the number of calls reported before and after a difference.
    Operations that are `left_out` are not compared.
    """
    notes: list[str] = []
    if a.header.ranks != b.header.ranks:
        notes.append(f"{a.header.ranks:,} and {b.header.ranks:,} ranks; ranks present in both are compared")
    sequences: list[SequenceDifference] = []
    compared = 0
    expanded = ExpandedCalls()
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for rank, rank_a, rank_b in _ranks_of_both(a, b):
        for side, one in enumerate((rank_a, rank_b)):
            _add_totals(totals, one, side=side, style=style, left_out=left_out)
        if rank_a is None or rank_b is None:
            notes.append(f"rank {rank} is only in {b.path if rank_a is None else a.path}")
            continue
        pairs = list(zip_longest(rank_a.streams_by_thread(), rank_b.streams_by_thread()))
        for thread, (stream_a, stream_b) in enumerate(pairs):
            if stream_a is None or stream_b is None or stream_a.rules is None or stream_b.rules is None:
                notes.append(f"rank {rank}{f', thread {thread}' if thread else ''}: no sequence in one of them")
                continue
            compared += 1
            tokenizers = (
                CallTokenizer(rank_a, _without(stream_a, left_out), style),
                CallTokenizer(rank_b, _without(stream_b, left_out), style),
            )
            if (difference := _difference(*tokenizers, thread=thread, context=context, expanded=expanded)) is not None:
                sequences.append(difference)
    return Difference(
        a=str(a.path), b=str(b.path), sequences_compared=compared, sequences=tuple(sequences),
        totals=tuple(_total_differences(totals)), notes=_first_notes(notes),
    )  # fmt: skip


def _ranks_of_both(a: Trace, b: Trace) -> Iterator[tuple[int, RankTrace | None, RankTrace | None]]:
    """All ranks of both captures in ascending order, each from `a` and from `b` (None if missing)."""
    captures = (a.ranks(), b.ranks())
    next_ranks = [next(side, None) for side in captures]
    while rank_numbers := [next_rank.rank for next_rank in next_ranks if next_rank is not None]:
        rank = min(rank_numbers)
        present_ranks = [
            next_rank if next_rank is not None and next_rank.rank == rank else None for next_rank in next_ranks
        ]
        yield rank, present_ranks[0], present_ranks[1]
        next_ranks = [
            next(side, None) if taken is not None else next_rank
            for side, taken, next_rank in zip(captures, present_ranks, next_ranks, strict=True)
        ]


def _without(stream: Stream, left_out: Collection[str]) -> Stream:
    """The stream without the calls of these operations in its sequence."""
    if stream.rules is None or not any(call.op in left_out for call in stream.calls):
        return stream
    kept = tuple(
        tuple((symbol, times) for symbol, times in rule if symbol < 0 or stream.calls[symbol].op not in left_out)
        for rule in stream.rules
    )
    return replace(stream, rules=kept, sequence_calls=rule_lengths(kept)[0])


def _add_totals(
    totals: dict[str, list[int]], rank: RankTrace | None, *, side: int, style: TokenStyle, left_out: Collection[str]
) -> None:
    for total in () if rank is None else rank.totals:
        if total.op in left_out:
            continue
        op = (
            _COMMUNICATOR_CONSTRUCTION
            if style is TokenStyle.replayed and total.op in COMMUNICATOR_CONSTRUCTORS
            else total.op
        )
        totals[op][side] += total.calls - total.empty
        totals[op][2 + side] += total.bytes


def _total_differences(totals: dict[str, list[int]]) -> Iterator[TotalDifference]:
    for op, (a_calls, b_calls, a_bytes, b_bytes) in sorted(totals.items()):
        if (a_calls, a_bytes) != (b_calls, b_bytes):
            yield TotalDifference(op=op, a_calls=a_calls, b_calls=b_calls, a_bytes=a_bytes, b_bytes=b_bytes)


def _difference(
    a: CallTokenizer, b: CallTokenizer, *, thread: int, context: int, expanded: ExpandedCalls
) -> SequenceDifference | None:
    if a.is_order_dependent or b.is_order_dependent:
        for stream in (a.stream, b.stream):
            expanded.add(stream.rules or (), stream.calls)
        return _difference_by_expansion(a, b, thread=thread, context=context)
    a.assign_slots()
    b.assign_slots()
    ids: dict[str, int] = {}
    fingerprints = [_fingerprint(tokenizer, ids) for tokenizer in (a, b)]
    place = first_difference(*fingerprints)
    if place is None:
        return None

    def window(side: int, start: int, stop: int) -> tuple[str, ...]:
        tokenizer = (a, b)[side]
        return tuple(
            tokenizer.token(fingerprints[side].at(at))
            for at in range(max(0, start), min(stop, fingerprints[side].calls))
        )

    return SequenceDifference(
        rank=a.rank.rank, thread=thread, place=place, a_calls=fingerprints[0].calls, b_calls=fingerprints[1].calls,
        before=window(0, place - context, place),
        a=window(0, place, place + context), b=window(1, place, place + context),
    )  # fmt: skip


def _fingerprint(tokenizer: CallTokenizer, ids: dict[str, int]) -> Fingerprint:
    """Fingerprint of a sequence; equal tokens have equal numbers in both captures."""
    rules = tokenizer.stream.rules
    assert rules is not None
    tokens = (tokenizer.token(number) for number in range(len(tokenizer.stream.calls)))
    return Fingerprint(rules, [ids.setdefault(token, len(ids)) for token in tokens])


def _difference_by_expansion(
    a: CallTokenizer, b: CallTokenizer, *, thread: int, context: int
) -> SequenceDifference | None:  # fmt: skip
    """First difference by comparing token by token: tokens of MPI_Start depend on the preceding calls."""
    assert a.stream.rules is not None and b.stream.rules is not None
    tokens = [tokenizer.tokens(expand_bounded(tokenizer.stream.rules or ())) for tokenizer in (a, b)]
    before: deque[str] = deque(maxlen=context)
    for place, (token_a, token_b) in enumerate(zip_longest(*tokens)):
        if token_a != token_b:
            rest = [tuple(islice(side, context - 1)) for side in tokens]
            return SequenceDifference(
                rank=a.rank.rank, thread=thread, place=place, a_calls=_calls(a.stream), b_calls=_calls(b.stream),
                before=tuple(before),
                a=() if token_a is None else (token_a, *rest[0]), b=() if token_b is None else (token_b, *rest[1]),
            )  # fmt: skip
        before.append(token_a)
    return None


def _calls(stream: Stream) -> int:
    return stream.sequence_calls or 0


def _first_notes(notes: list[str], *, most: int = 10) -> tuple[str, ...]:
    return tuple(notes) if len(notes) <= most else (*notes[:most], f"and {len(notes) - most:,} more")
