"""The calls of a rank as sends, receives and computation that depend on each other. Pure.

An operation begins when those that it requires are complete and those that it requires to have begun have begun
(`requires` and `irequires` in GOAL: Hoefler, Siebert and Lumsdaine 2009).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from stressbench.tracing.operations import COMPUTATION, OperationClass, class_of
from stressbench.tracing.schedules.collectives import rounds_of
from stressbench.tracing.schedules.events import Collective, Event
from stressbench.tracing.schedules.tags import Tags


class Kind(Enum):
    """What an operation does."""

    send = "send"
    receive = "receive"
    compute = "compute"


class Operation(NamedTuple):
    """An operation of a rank, numbered from 1. `amount`: bytes of a message, nanoseconds of computation."""

    number: int
    kind: Kind
    amount: int
    partner: int
    tag: int
    requires: tuple[int, ...]
    irequires: tuple[int, ...]


@dataclass(slots=True)
class RankSchedule:
    """Turns the calls of one rank into operations; memory does not grow with their number."""

    tags: Tags
    _last: int = 0
    _complete: tuple[int, ...] = ()  # operations that the next one requires
    _begun: tuple[int, ...] = ()  # operations that must have begun before the next one begins
    _pending: dict[int, tuple[int, ...]] = field(default_factory=dict)  # by request, its last operations
    _instances: dict[int, int] = field(default_factory=dict)  # collectives so far, by communicator

    def operations(self, events: Iterable[Event], tail_s: float) -> Iterator[Operation]:
        """The operations in an order in which each follows those that it depends on."""
        for event in events:
            yield from self._computation(event.gap_s)
            if event.transfers:
                yield from self._messages(event)
            elif event.collective is not None:
                yield from self._collective(event, event.collective)
            elif event.completed:
                self._complete_requests(event.completed)
            elif event.call.op == COMPUTATION or class_of(event.call.op) is OperationClass.io:
                yield from self._computation(event.duration_s)
        yield from self._computation(tail_s)

    def _computation(self, seconds: float) -> Iterator[Operation]:
        if nanoseconds := round(seconds * 1e9):
            yield from self._joined()
            yield self._next(Kind.compute, nanoseconds)
            self._follow((self._last,))

    def _messages(self, event: Event) -> Iterator[Operation]:
        yield from self._joined()
        blocking: list[int] = []
        begun: list[int] = []
        for transfer in event.transfers:
            kind = Kind.send if transfer.sends else Kind.receive
            yield self._next(kind, transfer.bytes, transfer.partner, self.tags.message(transfer.group, transfer.tag))
            if transfer.request is None:
                blocking.append(self._last)
            else:
                begun.append(self._last)
                self._pending[transfer.request] = (*self._pending.get(transfer.request, ()), self._last)
        if blocking:
            self._follow(tuple(blocking))
        else:
            self._begun = (begun[-1],) if len(begun) == 1 else tuple(begun)
            self._complete = ()

    def _collective(self, event: Event, collective: Collective) -> Iterator[Operation]:
        instance = self._instances.get(collective.group.number, 0)
        self._instances[collective.group.number] = instance + 1
        tag = self.tags.collective(collective.group, instance)
        yield from self._joined()
        first: tuple[int, ...] = ()
        for part in rounds_of(collective, event.call):
            if len(self._complete) > 1:
                yield from self._joined()
            numbers = []
            for kind, messages in ((Kind.receive, part.receives), (Kind.send, part.sends)):
                for message in messages:
                    yield self._next(kind, message.bytes, collective.group.members[message.partner], tag)
                    numbers.append(self._last)
            if numbers:
                first = first or tuple(numbers)
                self._follow(tuple(numbers))
        if collective.request is None or not first:
            return
        self._pending[collective.request] = self._complete
        self._complete, self._begun = (), first

    def _complete_requests(self, requests: Iterable[int]) -> None:
        operations = [number for request in requests for number in self._pending.pop(request, ())]
        self._complete = tuple(dict.fromkeys((*self._complete, *operations)))
        self._begun = tuple(number for number in self._begun if number not in self._complete)

    def _joined(self) -> Iterator[Operation]:
        """If the next operation depends on several, an operation of no time that does, to be required instead."""
        if len(self._complete) + len(self._begun) > 2:
            yield self._next(Kind.compute, 0)
            self._follow((self._last,))

    def _follow(self, numbers: tuple[int, ...]) -> None:
        self._complete, self._begun = numbers, ()

    def _next(self, kind: Kind, amount: int, partner: int = -1, tag: int = 0) -> Operation:
        self._last += 1
        return Operation(self._last, kind, amount, partner, tag, self._complete, self._begun)
