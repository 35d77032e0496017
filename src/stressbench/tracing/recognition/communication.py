"""What the ranks of a capture send, and in which collectives all of them take part: counts, without order. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from stressbench.formats.trace import RankTrace, Trace
from stressbench.tracing.operations import COLLECTIVES, SENDING_CALLS
from stressbench.tracing.ranks import WorldRanks


@dataclass(frozen=True, slots=True)
class SentMessage:
    """A message of a rank: destination in MPI_COMM_WORLD, tag and bytes."""

    to: int
    tag: int
    bytes: int


@dataclass(frozen=True, slots=True)
class CollectiveCall:
    """A collective of all ranks, by its name without `MPI_`, with the bytes that the trace states for it."""

    op: str
    bytes: int


@dataclass(frozen=True, kw_only=True)
class Communication:
    """For each rank, how often it sends each message; and how often rank 0 makes each collective of all ranks.

    `orders`: the ranks as communicators of all of them number them, that of MPI_COMM_WORLD first.
    """

    sent: tuple[Mapping[SentMessage, int], ...]
    collectives: Mapping[CollectiveCall, int]
    orders: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, trace: Trace) -> "Communication":
        """The communication of a capture. Raises TraceFileError for a damaged file."""
        trace.require_complete()
        sent: list[Mapping[SentMessage, int]] = []
        collectives: Counter[CollectiveCall] = Counter()
        orders: tuple[tuple[int, ...], ...] = ()
        for rank in trace.ranks():
            sent.append(_sent_by(rank))
            if rank.rank == 0:
                collectives = _collectives_of(rank, ranks=trace.header.ranks)
                orders = _orders_of(rank, ranks=trace.header.ranks)
        return cls(sent=tuple(sent), collectives=collectives, orders=orders)

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self.sent)

    def calls(self, op: str, *, size: int | None = None) -> int:
        """How often a collective of all ranks is called, of any or of one size."""
        return sum(n for call, n in self.collectives.items() if call.op == op and size in (None, call.bytes))

    @cached_property
    def tags(self) -> frozenset[int]:
        """All tags."""
        return frozenset(message.tag for sent in self.sent for message in sent)

    @property
    def largest_message(self) -> int:
        """Bytes of the largest message; 0 without messages."""
        return max((message.bytes for sent in self.sent for message in sent), default=0)

    def least_bytes(self, rank: int, is_of: Callable[[SentMessage], bool]) -> int | None:
        """Size of the shortest message of a rank among those for which `is_of` is true; None if it sends none."""
        return min((message.bytes for message in self.sent[rank] if is_of(message)), default=None)

    def distance(self, tag: int) -> int | None:
        """Destination less source of all messages with this tag; None if there are none, or they differ."""
        distances = {message.to - rank for rank, sent in enumerate(self.sent) for message in sent if message.tag == tag}
        return distances.pop() if len(distances) == 1 else None

    def pairs(self) -> Mapping[tuple[int, int], set[int]]:
        """Sizes of the messages from one rank to another."""
        sizes: dict[tuple[int, int], set[int]] = defaultdict(set)
        for rank, sent in enumerate(self.sent):
            for message in sent:
                sizes[rank, message.to].add(message.bytes)
        return sizes


def _sent_by(rank: RankTrace) -> Counter[SentMessage]:
    world = WorldRanks(rank)
    counts: Counter[SentMessage] = Counter()
    for stream in rank.streams_by_thread():
        for call in stream.calls:
            if call.op not in SENDING_CALLS or call.peer is None:
                continue
            to = world.of(call.comm, call.peer)
            if to is not None and to >= 0 and call.n:
                counts[SentMessage(to, -1 if call.tag is None else call.tag, call.bytes or 0)] += call.n
    return counts


def _collectives_of(rank: RankTrace, *, ranks: int) -> Counter[CollectiveCall]:
    counts: Counter[CollectiveCall] = Counter()
    for stream in rank.streams_by_thread():
        for call in stream.calls:
            of_all = call.comm is not None and rank.comms[call.comm].size == ranks
            if call.op in COLLECTIVES and of_all and call.n:
                counts[CollectiveCall(call.op, call.bytes or 0)] += call.n
    return counts


def _orders_of(rank: RankTrace, *, ranks: int) -> tuple[tuple[int, ...], ...]:
    orders = {tuple(range(ranks)): None}
    for comm in rank.comms:
        if comm.size == ranks and comm.members is not None and not comm.inter:
            orders[tuple(one.first + k * one.stride for one in comm.members for k in range(one.length))] = None
    return tuple(orders)
