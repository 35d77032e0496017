"""Counts of messages, collectives and calls over all ranks, computed from the rules without expanding them. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from stressbench.formats.trace import RankTrace
from stressbench.tracing.grammar import ExpandedCalls, Rules, call_counts, expand_bounded
from stressbench.tracing.operations import COLLECTIVES, PERSISTENT_INITS, START_CALLS, TEST_CALLS
from stressbench.tracing.tokens import CallTokenizer, Message, TokenStyle

Row: TypeAlias = list[int | float | str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerTotals:
    """Totals of all messages, and the minimum and maximum number of messages that a rank sends."""

    messages: int
    bytes: int
    per_rank_sends_min_max: tuple[int, int]
    self_messages: int


@dataclass(slots=True)
class TrafficAccumulator:
    """Accumulates counts rank by rank. `characters`: length of all sequences as tokens; `calls`: of all ranks."""

    ranks: int
    longest: int = 0
    calls: int = 0
    characters: int = 0
    _sent: Counter[tuple[int, int, int]] = field(default_factory=Counter)
    _sends: list[int] = field(default_factory=list)
    _peers: list[int] = field(default_factory=list)
    _collectives: Counter[tuple[str, str | None, int, int, int, int]] = field(default_factory=Counter)
    _operations: Counter[str] = field(default_factory=Counter)
    _expanded: ExpandedCalls = field(default_factory=ExpandedCalls)

    def add(self, rank: RankTrace, rules: Rules) -> None:
        """Add the calls of one rank; `rules` is its sequence or a part of it. Raises TooManyCalls."""
        tokenizer = CallTokenizer(rank, rank.streams_by_thread()[0], TokenStyle.exact)
        tokenizer.assign_slots()
        counts = call_counts(rules)
        self.longest = max(
            self.longest, sum(n for number, n in counts.items() if rank.calls[number].op not in TEST_CALLS)
        )
        sent: Counter[tuple[int, int]] = Counter()
        for message, n in _messages(tokenizer, rules, counts, self._expanded):
            sent[-1 if message.to is None else message.to, message.bytes] += n
        for (to, size), n in sent.items():
            self._sent[rank.rank, to, size] += n
        self._sends.append(sum(sent.values()))
        self._peers.append(len({to for to, _ in sent}))
        self.calls += counts.total()
        for number, n in counts.items():
            call = rank.calls[number]
            self.characters += n * (1 + len(tokenizer.token(number)))
            self._operations[call.op] += n
            if call.op in COLLECTIVES:
                key = (tokenizer.size_of(call) or 0, tokenizer.root(call), call.unit or 1)
                self._collectives[call.op, call.reduction, call.bytes or 0, *key] += n

    def busiest(self) -> int:
        """The rank with the most destinations, then the most messages."""
        return max(range(len(self._peers)), key=lambda rank: (self._peers[rank], self._sends[rank]), default=0)

    def matrix(self) -> list[Row]:
        """Rows [source, destination, messages, bytes]."""
        pairs: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        for (source, to, size), n in self._sent.items():
            pairs[source, to][0] += n
            pairs[source, to][1] += n * size
        return [[*pair, *sums] for pair, sums in sorted(pairs.items())]

    def sizes(self) -> list[Row]:
        """Rows [bytes of one message, messages]."""
        by_size: Counter[int] = Counter()
        for (_, _, size), n in self._sent.items():
            by_size[size] += n
        return [[size, n] for size, n in sorted(by_size.items())]

    def messages(self) -> list[Row]:
        """Rows [source, destination, bytes of one message, messages]."""
        return [[*key, n] for key, n in sorted(self._sent.items())]

    def totals(self) -> PeerTotals:
        """Totals of all messages."""
        return PeerTotals(
            messages=sum(self._sent.values()),
            bytes=sum(size * n for (_, _, size), n in self._sent.items()),
            per_rank_sends_min_max=(min(self._sends, default=0), max(self._sends, default=0)),
            self_messages=sum(n for (source, to, _), n in self._sent.items() if source == to),
        )

    def collective_rows(self) -> list[Row]:
        """Rows [operation, reduction, bytes, communicator size, root, datatype size, calls, calls per rank]."""
        ordered = sorted(self._collectives.items(), key=lambda item: tuple(map(str, item[0])))
        return [[*key, n, n / self.ranks] for key, n in ordered]

    def operations(self) -> Mapping[str, int]:
        """Number of calls by operation."""
        return dict(sorted(self._operations.items()))


def _messages(
    tokenizer: CallTokenizer, rules: Rules, counts: Counter[int], expanded: ExpandedCalls
) -> Iterator[tuple[Message, int]]:
    """Messages and how often each is sent. The sequence is expanded only if persistent requests share slots."""
    calls = tokenizer.stream.calls
    in_order = tokenizer.is_order_dependent
    for number, n in counts.items():
        if not (in_order and calls[number].op in START_CALLS):
            for message in tokenizer.messages(number):
                yield message, n
    if not in_order:
        return
    expanded.add(rules, calls)
    inits = {number for number in counts if calls[number].op in PERSISTENT_INITS}
    starts = {number for number in counts if calls[number].op in START_CALLS}
    for number in expand_bounded(rules):
        if number in inits:
            tokenizer.token(number)  # assigns its slot
        elif number in starts:
            for message in tokenizer.messages(number):
                yield message, 1
