"""Comparison of two captures: the first difference of each rank's call sequence, and differences of totals. Pure."""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest

from stressbench.formats.trace import RankTrace, Stream, Trace
from stressbench.tracing.fingerprint import Fingerprint, first_difference
from stressbench.tracing.grammar import expand_bounded
from stressbench.tracing.operations import COMMUNICATOR_CONSTRUCTORS
from stressbench.tracing.tokens import CallTokenizer, TokenStyle

CONTEXT = 4
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


def diff(a: Trace, b: Trace, *, style: TokenStyle = TokenStyle.replayed, context: int = CONTEXT) -> Difference:
    """Compare two captures rank by rank. Only one rank of each is in memory at a time.

    `style` decides which calls are equal; `context` is the number of calls reported before and after a difference.
    """
    notes: list[str] = []
    if a.header.ranks != b.header.ranks:
        notes.append(f"{a.header.ranks:,} and {b.header.ranks:,} ranks; ranks present in both are compared")
    found: list[SequenceDifference] = []
    compared = 0
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for rank, ours, theirs in _paired(a, b):
        for side, one in enumerate((ours, theirs)):
            _add_totals(totals, one, side=side, style=style)
        if ours is None or theirs is None:
            notes.append(f"rank {rank} is only in {b.path if ours is None else a.path}")
            continue
        pairs = list(zip_longest(ours.streams_by_thread(), theirs.streams_by_thread()))
        for thread, (left, right) in enumerate(pairs):
            if left is None or right is None or left.rules is None or right.rules is None:
                notes.append(f"rank {rank}{f', thread {thread}' if thread else ''}: no sequence in one of them")
                continue
            compared += 1
            sides = (CallTokenizer(ours, left, style), CallTokenizer(theirs, right, style))
            if (difference := _difference(*sides, thread=thread, context=context)) is not None:
                found.append(difference)
    return Difference(
        a=str(a.path), b=str(b.path), sequences_compared=compared, sequences=tuple(found),
        totals=tuple(_differing(totals)), notes=_limited(notes),
    )  # fmt: skip


def _paired(a: Trace, b: Trace) -> Iterator[tuple[int, RankTrace | None, RankTrace | None]]:
    """All ranks of both captures in ascending order, each from `a` and from `b` (None if missing)."""
    sides = (a.ranks(), b.ranks())
    heads = [next(side, None) for side in sides]
    while present := [head.rank for head in heads if head is not None]:
        rank = min(present)
        found = [head if head is not None and head.rank == rank else None for head in heads]
        yield rank, found[0], found[1]
        heads = [
            next(side, None) if one is not None else head for side, one, head in zip(sides, found, heads, strict=True)
        ]


def _add_totals(totals: dict[str, list[int]], rank: RankTrace | None, *, side: int, style: TokenStyle) -> None:
    for total in () if rank is None else rank.totals:
        op = (
            _COMMUNICATOR_CONSTRUCTION
            if style is TokenStyle.replayed and total.op in COMMUNICATOR_CONSTRUCTORS
            else total.op
        )
        totals[op][side] += total.calls - total.empty
        totals[op][2 + side] += total.bytes


def _differing(totals: dict[str, list[int]]) -> Iterator[TotalDifference]:
    for op, (a_calls, b_calls, a_bytes, b_bytes) in sorted(totals.items()):
        if (a_calls, a_bytes) != (b_calls, b_bytes):
            yield TotalDifference(op=op, a_calls=a_calls, b_calls=b_calls, a_bytes=a_bytes, b_bytes=b_bytes)


def _difference(a: CallTokenizer, b: CallTokenizer, *, thread: int, context: int) -> SequenceDifference | None:
    if a.is_order_dependent or b.is_order_dependent:
        return _difference_by_expansion(a, b, thread=thread, context=context)
    a.assign_slots()
    b.assign_slots()
    ids: dict[str, int] = {}
    sides = [_fingerprint(tokenizer, ids) for tokenizer in (a, b)]
    place = first_difference(*sides)
    if place is None:
        return None

    def window(side: int, start: int, stop: int) -> tuple[str, ...]:
        tokenizer = (a, b)[side]
        return tuple(tokenizer.token(sides[side].at(at)) for at in range(max(0, start), min(stop, sides[side].calls)))

    return SequenceDifference(
        rank=a.rank.rank, thread=thread, place=place, a_calls=sides[0].calls, b_calls=sides[1].calls,
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
    for place, (left, right) in enumerate(zip_longest(*tokens)):
        if left != right:
            rest = [tuple(islice(side, context - 1)) for side in tokens]
            return SequenceDifference(
                rank=a.rank.rank, thread=thread, place=place, a_calls=_calls(a.stream), b_calls=_calls(b.stream),
                before=tuple(before),
                a=() if left is None else (left, *rest[0]), b=() if right is None else (right, *rest[1]),
            )  # fmt: skip
        before.append(left)
    return None


def _calls(stream: Stream) -> int:
    return stream.sequence_calls or 0


def _limited(notes: list[str], *, most: int = 10) -> tuple[str, ...]:
    return tuple(notes) if len(notes) <= most else (*notes[:most], f"and {len(notes) - most:,} more")
