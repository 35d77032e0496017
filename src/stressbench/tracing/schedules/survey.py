"""What has to be known of all ranks before one of them is written: sizes of messages, and that each is received. Pure.

A receive names the size of its buffer; the size of the message is that of the send which matches it. Messages from one
rank to another with the same tag and communicator match in order.
"""

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from stressbench.tracing.grammar import ExpandedCalls
from stressbench.tracing.operations import COMPUTATION
from stressbench.tracing.schedules.collectives import rounds_of
from stressbench.tracing.schedules.communicators import Groups
from stressbench.tracing.schedules.events import Event, RankEvents, Transfer, cancelled_requests
from stressbench.tracing.schedules.refusal import ScheduleRefused
from stressbench.tracing.schedules.sources import RankOfJob, Source

Channel: TypeAlias = tuple[int, int, int, int]
"""Messages that match in order: sender, receiver, number of the communicator, tag."""


@dataclass(slots=True)
class _Sent:
    """The messages of a channel in order: their number and size, or all sizes where they differ."""

    messages: int = 0
    bytes: int = 0
    sizes: "array[int] | None" = None
    received: int = 0

    def add(self, size: int) -> None:
        if self.sizes is None and self.messages and size != self.bytes:
            self.sizes = array("q", [self.bytes]) * self.messages
        if self.sizes is not None:
            self.sizes.append(size)
        self.bytes = size
        self.messages += 1

    def size_of(self, place: int) -> int:
        return self.bytes if self.sizes is None else self.sizes[place]


@dataclass(slots=True)
class Traffic:
    """Point-to-point messages of a schedule, by sender and receiver; collectives by number of calls."""

    messages: Counter[tuple[int, int]] = field(default_factory=Counter)
    bytes: Counter[tuple[int, int]] = field(default_factory=Counter)
    collectives: Counter[str] = field(default_factory=Counter)
    calls: int = 0


@dataclass(slots=True)
class Survey:
    """Made by `survey`. `events` yields the calls of a rank with the true sizes of the messages that it receives."""

    source: Source
    groups: Groups
    traffic: Traffic = field(default_factory=Traffic)
    _sent: dict[Channel, _Sent] = field(default_factory=dict)
    _cancelled: dict[int, frozenset[int]] = field(default_factory=dict)

    def events(self, rank: RankOfJob) -> Iterator[Event]:
        """The calls in order, without receives that are cancelled."""
        places: Counter[Channel] = Counter()
        cancelled = self._cancelled.get(rank.number, frozenset())
        for event in RankEvents(rank, self.groups.of(rank)):
            yield event._replace(
                transfers=tuple(
                    self._matched(rank, transfer, places)
                    for transfer in event.transfers
                    if transfer.request is None or transfer.request not in cancelled
                )
            )

    def _matched(self, rank: RankOfJob, transfer: Transfer, places: Counter[Channel]) -> Transfer:
        if transfer.sends:
            return transfer
        channel = (transfer.partner, rank.number, transfer.group.number, transfer.tag)
        place = places[channel]
        places[channel] = place + 1
        return transfer._replace(bytes=self._sent[channel].size_of(place))

    def add(self, rank: RankOfJob, calls: dict[tuple[int, int], int]) -> None:
        """Count the calls of one rank; `calls`: of collectives, by communicator and rank."""
        events = RankEvents(rank, self.groups.of(rank))
        if cancelled := cancelled_requests(events):
            self._cancelled[rank.number] = cancelled
        for event in events:
            self.traffic.calls += event.call.op != COMPUTATION
            for transfer in event.transfers:
                if transfer.request is None or transfer.request not in cancelled:
                    self._count(rank.number, transfer)
            if event.collective is not None:
                key = (event.collective.group.number, rank.number)
                if key not in calls or calls[key] < 1:
                    rounds_of(event.collective, event.call)
                calls[key] = calls.get(key, 0) + 1
                self.traffic.collectives[event.collective.op] += 1

    def _count(self, rank: int, transfer: Transfer) -> None:
        if transfer.sends:
            pair = (rank, transfer.partner)
            self.traffic.messages[pair] += 1
            self.traffic.bytes[pair] += transfer.bytes
            self._sent.setdefault((*pair, transfer.group.number, transfer.tag), _Sent()).add(transfer.bytes)
        else:
            channel = (transfer.partner, rank, transfer.group.number, transfer.tag)
            self._sent.setdefault(channel, _Sent()).received += 1

    def check(self, calls: dict[tuple[int, int], int]) -> None:
        """Raise ScheduleRefused unless each message is received, and each collective called by all ranks."""
        for (sender, receiver, _, tag), sent in self._sent.items():
            if sent.messages != sent.received:
                raise ScheduleRefused(
                    f"rank {sender} sends {sent.messages:,} messages with tag {tag} to rank {receiver}, which receives "
                    f"{sent.received:,}; expected a trace of whole communication, since a simulator waits for the rest"
                )
        for (number, rank), times in calls.items():
            group = self.groups.all[number]
            first = calls.get((number, group.members[0]), 0)
            if times != first or any((number, member) not in calls for member in group.members):
                raise ScheduleRefused(
                    f"rank {rank} calls {times:,} collectives on a communicator of {len(group.members):,} ranks, rank "
                    f"{group.members[0]} {first:,}; expected the same number on each"
                )


def survey(source: Source) -> Survey:
    """Go through the calls of all ranks once. Raises ScheduleRefused, and TooManyCalls beyond MAX_EXPANDED_CALLS."""
    found = Survey(source=source, groups=Groups(source))
    expanded = ExpandedCalls()
    calls: dict[tuple[int, int], int] = {}
    for rank in source.of_jobs():
        stream = rank.own.streams_by_thread()[0]
        expanded.add(stream.rules or ((),), stream.calls)
        found.add(rank, calls)
    found.check(calls)
    return found
