"""Where two captures part, rank by rank, and how their totals differ. Pure."""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest

from stressbench.formats.trace import RankTrace, Stream, Trace
from stressbench.tracing.fingerprint import Fingerprint, first_difference
from stressbench.tracing.grammar import walk
from stressbench.tracing.operations import MAKERS
from stressbench.tracing.spelling import Speller, Style

CONTEXT = 4
_MAKING = "(makes a communicator)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceDifference:
    """One rank's (and thread's) sequences, equal up to call `place` (from 0).

    `before` are the last common calls, `a` and `b` the next ones of each, empty where a sequence has ended; `a_calls`
    and `b_calls` are how many there are in all.
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
    """An operation whose calls (those that found something) or bytes over all ranks differ."""

    op: str
    a_calls: int
    b_calls: int
    a_bytes: int
    b_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`sequences_compared` counts pairs of sequences; `notes` say what could not be compared."""

    a: str
    b: str
    sequences_compared: int
    sequences: tuple[SequenceDifference, ...]
    totals: tuple[TotalDifference, ...]
    notes: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether no difference was found, and something was compared."""
        return not self.sequences and not self.totals and not self.notes


def diff(a: Trace, b: Trace, *, style: Style = Style.replayed, context: int = CONTEXT) -> Difference:
    """Compare rank by rank, two lines in memory at a time."""
    notes: list[str] = []
    if a.header.ranks != b.header.ranks:
        notes.append(f"{a.header.ranks:,} ranks against {b.header.ranks:,}; those that both have are compared")
    found: list[SequenceDifference] = []
    compared = 0
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for rank, ours, theirs in _paired(a, b):
        for side, one in enumerate((ours, theirs)):
            _add_totals(totals, one, side=side, style=style)
        if ours is None or theirs is None:
            notes.append(f"rank {rank} is only in {b.path if ours is None else a.path}")
            continue
        pairs = list(zip_longest(ours.threads_apart(), theirs.threads_apart()))
        for thread, (left, right) in enumerate(pairs):
            if left is None or right is None or left.rules is None or right.rules is None:
                notes.append(f"rank {rank}{f', thread {thread}' if thread else ''}: no sequence in one of them")
                continue
            compared += 1
            sides = (Speller(ours, left, style), Speller(theirs, right, style))
            if (part := _parting(*sides, context=context)) is not None:
                found.append(_difference(part, rank=rank, thread=thread))
    return Difference(
        a=str(a.path), b=str(b.path), sequences_compared=compared, sequences=tuple(found),
        totals=tuple(_differing(totals)), notes=_gathered(notes),
    )  # fmt: skip


def _paired(a: Trace, b: Trace) -> Iterator[tuple[int, RankTrace | None, RankTrace | None]]:
    places_a, places_b = ({place.rank: place for place in trace.places} for trace in (a, b))
    for rank in sorted({*places_a, *places_b}):
        ours = a.load(places_a[rank]) if rank in places_a else None
        yield rank, ours, b.load(places_b[rank]) if rank in places_b else None


def _add_totals(totals: dict[str, list[int]], rank: RankTrace | None, *, side: int, style: Style) -> None:
    for total in () if rank is None else rank.totals:
        op = _MAKING if style is Style.replayed and total.op in MAKERS else total.op
        totals[op][side] += total.calls - total.empty
        totals[op][2 + side] += total.bytes


def _differing(totals: dict[str, list[int]]) -> Iterator[TotalDifference]:
    for op, (a_calls, b_calls, a_bytes, b_bytes) in sorted(totals.items()):
        if (a_calls, a_bytes) != (b_calls, b_bytes):
            yield TotalDifference(op=op, a_calls=a_calls, b_calls=b_calls, a_bytes=a_bytes, b_bytes=b_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parting:
    place: int
    a_calls: int
    b_calls: int
    before: tuple[str, ...]
    a: tuple[str, ...]
    b: tuple[str, ...]


def _difference(part: _Parting, *, rank: int, thread: int) -> SequenceDifference:
    return SequenceDifference(
        rank=rank, thread=thread, place=part.place, a_calls=part.a_calls, b_calls=part.b_calls, before=part.before,
        a=part.a, b=part.b,
    )  # fmt: skip


def _parting(a: Speller, b: Speller, *, context: int) -> _Parting | None:
    if a.depends_on_slots or b.depends_on_slots:
        return _by_walking(a, b, context=context)
    a.settle()
    b.settle()
    marks: dict[str, int] = {}
    sides = [_fingerprint(speller, marks) for speller in (a, b)]
    place = first_difference(*sides)
    if place is None:
        return None

    def window(side: int, start: int, stop: int) -> tuple[str, ...]:
        speller = (a, b)[side]
        return tuple(speller.word(sides[side].at(at)) for at in range(max(0, start), min(stop, sides[side].calls)))

    return _Parting(
        place=place, a_calls=sides[0].calls, b_calls=sides[1].calls, before=window(0, place - context, place),
        a=window(0, place, place + context), b=window(1, place, place + context),
    )  # fmt: skip


def _fingerprint(speller: Speller, marks: dict[str, int]) -> Fingerprint:
    """Equal words get equal marks, in both captures."""
    rules = speller.stream.rules
    assert rules is not None
    words = (speller.word(number) for number in range(len(speller.stream.calls)))
    return Fingerprint(rules, [marks.setdefault(word, len(marks)) for word in words])


def _by_walking(a: Speller, b: Speller, *, context: int) -> _Parting | None:
    """Word by word: what Start starts depends on what came before."""
    assert a.stream.rules is not None and b.stream.rules is not None
    words = [speller.words(walk(speller.stream.rules or ())) for speller in (a, b)]
    before: deque[str] = deque(maxlen=context)
    for place, (left, right) in enumerate(zip_longest(*words)):
        if left != right:
            rest = [tuple(islice(side, context - 1)) for side in words]
            return _Parting(
                place=place, a_calls=_calls(a.stream), b_calls=_calls(b.stream), before=tuple(before),
                a=() if left is None else (left, *rest[0]), b=() if right is None else (right, *rest[1]),
            )  # fmt: skip
        before.append(left)
    return None


def _calls(stream: Stream) -> int:
    return stream.sequence_calls or 0


def _gathered(notes: list[str], *, most: int = 10) -> tuple[str, ...]:
    return tuple(notes) if len(notes) <= most else (*notes[:most], f"and {len(notes) - most:,} more")
