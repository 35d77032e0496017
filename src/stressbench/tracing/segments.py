"""Parts of a capture that are repeated, between two collectives of all ranks. Pure.

Collectives of all ranks divide the calls of every rank into the same number of segments: the k-th segment of one rank
belongs to the k-th of every other, and what is sent in a segment is received in it. Of a segment, only exchanges with
persistent requests and gatherings (MPI_Allgatherv) are kept.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from stressbench.formats.trace import Call, RankTrace, Trace, TraceFileError
from stressbench.tracing.grammar import ExpandedCalls, expand_bounded
from stressbench.tracing.operations import COLLECTIVES, PERSISTENT_INITS, SEND_TOKENS
from stressbench.tracing.ranks import WorldRanks
from stressbench.tracing.reference import sequence_rules

GATHERING = "Allgatherv"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of an exchange: the rank on the other side, and its size in bytes."""

    rank: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """Persistent requests that one MPI_Startall starts.

    `requests` are the numbers of the calls that created them, which tell exchanges with equal messages apart.
    """

    sent: tuple[Message, ...]
    received: tuple[Message, ...]
    requests: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gathering:
    """An MPI_Allgatherv to which this rank contributes so many bytes."""

    bytes: int


Step: TypeAlias = Exchange | Gathering
Segment: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedSegment:
    """The steps of each rank in a segment, and how often the segment occurs."""

    ranks: tuple[Segment, ...]
    times: int

    @property
    def steps(self) -> int:
        """Number of steps of all ranks in all occurrences."""
        return self.times * sum(map(len, self.ranks))


def repeated_segments(trace: Trace) -> tuple[RepeatedSegment, ...]:
    """All segments with an exchange, the one that occurs most often first; of several, the earliest.

    Raises TraceFileError if there is none, or if the ranks do not make equally many collectives, and TooManyCalls.
    """
    trace.require_complete()
    ranks: list[_RankSegments] = []
    kinds: list[int] = []  # of each segment: equal for segments that are equal on all ranks so far
    expanded = ExpandedCalls()
    for rank in trace.ranks():
        expanded.add(sequence_rules(trace, rank), rank.calls)
        segments = _RankSegments.of(trace, rank)
        if not ranks:
            kinds = segments.order
        elif len(segments.order) != len(kinds):
            raise TraceFileError(
                f"rank {rank.rank} takes part in {len(segments.order) - 1:,} collectives of all ranks, the ranks "
                f"before it in {len(kinds) - 1:,}",
                path=trace.path,
            )
        else:
            kinds = _numbered(zip(kinds, segments.order, strict=True))
        ranks.append(segments)
    first = {kind: place for place, kind in reversed(list(enumerate(kinds)))}
    found = [
        RepeatedSegment(ranks=tuple(rank.at(first[kind]) for rank in ranks), times=times)
        for kind, times in sorted(Counter(kinds).items(), key=lambda item: (-item[1], first[item[0]]))
    ]
    with_exchange = tuple(segment for segment in found if _has_exchange(segment))
    if not with_exchange:
        raise TraceFileError("no MPI_Startall starts messages between collectives of all ranks", path=trace.path)
    return with_exchange


def _has_exchange(segment: RepeatedSegment) -> bool:
    return any(isinstance(step, Exchange) for steps in segment.ranks for step in steps)


def _numbered(keys: Iterable[Hashable]) -> list[int]:
    """Equal numbers for equal keys, in order of first occurrence."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


@dataclass(frozen=True, slots=True)
class _RankSegments:
    """Segments of one rank: the distinct ones, and the number of the one at each place."""

    distinct: tuple[Segment, ...]
    order: list[int]

    @classmethod
    def of(cls, trace: Trace, rank: RankTrace) -> "_RankSegments":
        distinct: dict[Segment, int] = {}
        order = [distinct.setdefault(segment, len(distinct)) for segment in _segments(trace, rank)]
        return cls(tuple(distinct), order)

    def at(self, place: int) -> Segment:
        return self.distinct[self.order[place]]


def _segments(trace: Trace, rank: RankTrace) -> Iterator[Segment]:
    if any(loss.what == "lists" for loss in rank.lost or ()):
        raise TraceFileError(f"rank {rank.rank} has calls of which not all requests were recorded", path=trace.path)
    steps: list[Step] = []
    requests = _PersistentRequests(trace, rank)
    for number in expand_bounded(sequence_rules(trace, rank)):
        call = rank.calls[number]
        if call.op in PERSISTENT_INITS:
            requests.made(number)
        elif call.op == "Startall":
            steps.append(requests.started(call))
        elif call.op == GATHERING:
            steps.append(Gathering(call.bytes or 0))
        elif call.op in COLLECTIVES and call.comm is not None and rank.comms[call.comm].size == trace.header.ranks:
            yield tuple(steps)
            steps = []
    yield tuple(steps)


class _PersistentRequests:
    """The persistent requests of a rank, whose slots are used again when they have been freed."""

    def __init__(self, trace: Trace, rank: RankTrace) -> None:
        self._trace = trace
        self._rank = rank
        self._world = WorldRanks(rank)
        self._init_by_slot: dict[int, int] = {}
        self._exchanges: dict[tuple[int, ...], Exchange] = {}

    def made(self, number: int) -> None:
        slot = self._rank.calls[number].request
        if slot is not None:
            self._init_by_slot[slot] = number

    def started(self, call: Call) -> Exchange:
        creators = call.creators_of_requests(self._init_by_slot)
        inits = tuple(creator for creator in creators if creator is not None)
        if len(inits) < len(creators):
            raise TraceFileError(
                f"rank {self._rank.rank} starts requests whose creation the tracer did not see", path=self._trace.path
            )
        if inits not in self._exchanges:
            self._exchanges[inits] = Exchange(
                sent=self._messages(inits, sends=True), received=self._messages(inits, sends=False), requests=inits
            )
        return self._exchanges[inits]

    def _messages(self, inits: tuple[int, ...], *, sends: bool) -> tuple[Message, ...]:
        calls = (self._rank.calls[number] for number in inits)
        return tuple(self._message(call) for call in calls if (call.op in SEND_TOKENS) is sends and call.peer != -1)

    def _message(self, call: Call) -> Message:
        other = None if call.peer is None else self._world.of(call.comm, call.peer)
        if other is None:
            raise TraceFileError(
                f"rank {self._rank.rank}: the other rank of a message is unknown", path=self._trace.path
            )
        return Message(other, call.bytes or 0)
