"""What the ranks of a capture send, and in which collectives all of them take part. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property, partial

from stressbench.formats.trace import Call, RankTrace, Trace
from stressbench.tracing.grammar import MAX_EXPANDED_CALLS, expand, rule_lengths
from stressbench.tracing.operations import COLLECTIVES, PERSISTENT_INITS, SEND_TOKENS, SENDING_CALLS
from stressbench.tracing.ranks import WorldRanks
from stressbench.tracing.recognition.shortening import shortened
from stressbench.tracing.tokens import CallTokenizer, TokenStyle

_PERSISTENT_SENDS = frozenset(op for op in PERSISTENT_INITS if op in SEND_TOKENS)


def _no_tokens() -> Iterator[str]:
    return iter(())


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

    `orders`: the ranks as communicators of all of them number them, that of MPI_COMM_WORLD first. `persistent`:
    messages for which rank 0 creates persistent requests, in the order of these calls; they are not in `sent`.
    `tokens`: the calls of rank 0 in their order (tracing.tokens), where loops have as many passes as those that are
    compared with motifs.
    """

    sent: tuple[Mapping[SentMessage, int], ...]
    collectives: Mapping[CollectiveCall, int]
    orders: tuple[tuple[int, ...], ...] = ()
    persistent: tuple[SentMessage, ...] = ()
    tokens: Callable[[], Iterator[str]] = _no_tokens

    @classmethod
    def of(cls, trace: Trace) -> "Communication":
        """The communication of a capture. Raises TraceFileError for a damaged file."""
        trace.require_complete()
        sent: list[Mapping[SentMessage, int]] = []
        collectives: Counter[CollectiveCall] = Counter()
        orders: tuple[tuple[int, ...], ...] = ()
        persistent: tuple[SentMessage, ...] = ()
        tokens: Callable[[], Iterator[str]] = _no_tokens
        for rank in trace.ranks():
            sent.append(_sent_by(rank))
            if rank.rank == 0:
                collectives = _collectives_of(rank, ranks=trace.header.ranks)
                orders = _orders_of(rank, ranks=trace.header.ranks)
                persistent = _persistent_of(rank)
                tokens = partial(_tokens_of, rank)
        return cls(sent=tuple(sent), collectives=collectives, orders=orders, persistent=persistent, tokens=tokens)

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
    counts: Counter[SentMessage] = Counter()
    for call, message in _messages_of(rank, SENDING_CALLS):
        if call.n:
            counts[message] += call.n
    return counts


def _persistent_of(rank: RankTrace) -> tuple[SentMessage, ...]:
    """Also those of requests that were created before the capture began."""
    return tuple(dict.fromkeys(message for _, message in _messages_of(rank, _PERSISTENT_SENDS)))


def _messages_of(rank: RankTrace, ops: Set[str]) -> Iterator[tuple[Call, SentMessage]]:
    world = WorldRanks(rank)
    for stream in rank.streams_by_thread():
        for call in stream.calls:
            to = world.of(call.comm, call.peer) if call.op in ops and call.peer is not None else None
            if to is not None and to >= 0:
                yield call, SentMessage(to, -1 if call.tag is None else call.tag, call.bytes or 0)


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


def _tokens_of(rank: RankTrace) -> Iterator[str]:
    rules = shortened(rank.rules or ((),)).rules
    if rule_lengths(rules)[0] > MAX_EXPANDED_CALLS:
        return _no_tokens()
    return CallTokenizer(rank, rank, TokenStyle.exact).tokens(expand(rules))
