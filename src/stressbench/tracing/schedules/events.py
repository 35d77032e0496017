"""The calls of a rank in order, with the ranks, requests and times that each stands for. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import NamedTuple

from stressbench.formats.trace import Call, Stream
from stressbench.tracing.gaps import mean_s
from stressbench.tracing.grammar import expand
from stressbench.tracing.operations import (
    COLLECTIVES,
    COMPLETIONS_OF_ANY,
    PERSISTENT_INITS,
    RECEIVE_TOKENS,
    SEND_TOKENS,
    SENDRECV_CALLS,
    START_CALLS,
    is_one_sided,
)
from stressbench.tracing.schedules.communicators import Group
from stressbench.tracing.schedules.neighbours import Neighbours, neighbours_of
from stressbench.tracing.schedules.refusal import ScheduleRefused
from stressbench.tracing.schedules.sources import RankOfJob

_RECEIVES = frozenset(op for op in RECEIVE_TOKENS if not op.endswith("robe"))
_NONBLOCKING_RECEIVES = frozenset({"Irecv", "Imrecv"})


class Transfer(NamedTuple):
    """A message that a call sends or receives.

    `partner`: rank of the schedule. `bytes`: of the message, or of the buffer as posted for a receive. `request`:
    number of the request, counted over the rank's requests from 0; None for a blocking call.
    """

    sends: bool
    partner: int
    group: Group
    tag: int
    bytes: int
    request: int | None


class Collective(NamedTuple):
    """A collective call. `op`: name of the blocking form, `rank`: of this process in the communicator `group`."""

    op: str
    group: Group
    rank: int
    request: int | None
    neighbours: Neighbours | None


class Event(NamedTuple):
    """A call: seconds outside MPI before it and in it, what it transfers, and the requests that it completes."""

    call: Call
    gap_s: float
    duration_s: float
    transfers: tuple[Transfer, ...]
    collective: Collective | None
    completed: tuple[int, ...]


class _Meaning(NamedTuple):
    """What a distinct call does, apart from the numbers of its requests."""

    transfers: tuple[Transfer, ...]
    collective: Collective | None
    creates: int | None  # slot
    is_persistent: bool
    starts: bool
    completes: tuple[int, ...]  # slots


@dataclass(slots=True)
class RankEvents:
    """The calls of a rank. `groups`: its communicators by their number in the trace."""

    rank: RankOfJob
    groups: Sequence[Group | None]
    meanings: Sequence[_Meaning] = field(init=False)
    _stream: Stream = field(init=False)

    def __post_init__(self) -> None:
        self._stream = self.rank.own.streams_by_thread()[0]
        self.meanings = [self._meaning(call) for call in self._stream.calls]

    def __iter__(self) -> Iterator[Event]:
        """The calls in order. Raises ScheduleRefused."""
        calls, meanings = self._stream.calls, self.meanings
        durations = [call.time_s / call.n if call.n else 0.0 for call in calls]
        requests = _Requests(meanings)
        for number, gap_s in self._with_gaps():
            meaning, call = meanings[number], calls[number]
            transfers, collective = meaning.transfers, meaning.collective
            if meaning.creates is not None:
                transfers, collective = requests.create(meaning, number)
            elif meaning.starts:
                transfers = requests.start(call)
            completed = requests.complete(meaning.completes) if meaning.completes else ()
            yield Event(call, gap_s, durations[number], transfers, collective, completed)

    @property
    def tail_s(self) -> float:
        """Seconds between the last call and the end of the recorded part; 0 where unknown."""
        return self._stream.tail_s or 0.0

    def _with_gaps(self) -> Iterator[tuple[int, float]]:
        """Call numbers with the seconds outside MPI before each: as recorded in order, or the mean for this pair."""
        means = {(gap.before, gap.after): mean_s(gap) for gap in self._stream.gaps or ()}
        in_order = chain((ns * 1e-9 for ns in self._stream.gap_times_ns or ()), repeat(None))
        before = -1
        for number, recorded_s in zip(expand(self._stream.rules or ((),)), in_order, strict=False):
            yield number, means.get((before, number), 0.0) if recorded_s is None else recorded_s
            before = number

    def _meaning(self, call: Call) -> _Meaning:
        transfers: tuple[Transfer, ...] = ()
        collective = None
        if call.op in SEND_TOKENS:
            transfers = self._transfer(call, sends=True, partner=call.peer, tag=call.tag, size=call.bytes)
        elif call.op in _RECEIVES:
            transfers = self._transfer(call, sends=False, partner=call.peer, tag=call.tag, size=call.bytes)
        elif call.op in SENDRECV_CALLS:
            capacity = call.bytes if call.receive_bytes is None else call.receive_bytes
            transfers = (
                *self._transfer(call, sends=True, partner=call.peer, tag=call.tag, size=call.bytes),
                *self._transfer(call, sends=False, partner=call.source, tag=call.receive_tag, size=capacity),
            )
        elif call.op in COLLECTIVES:
            collective = self._collective(call)
        elif is_one_sided(call.op):
            raise ScheduleRefused(f"rank {self.rank.own.rank}: {call.op}: one-sided communication has no messages")
        return _Meaning(
            transfers=transfers, collective=collective, creates=call.request,
            is_persistent=call.op in PERSISTENT_INITS, starts=call.op in START_CALLS,
            completes=(call.done if call.op in COMPLETIONS_OF_ANY else _waited_for(call)) or (),
        )  # fmt: skip

    def _group(self, call: Call) -> Group:
        group = None if call.comm is None else self.groups[call.comm]
        if group is None:
            raise ScheduleRefused(f"rank {self.rank.own.rank}: {call.op}: the members of its communicator are unknown")
        return group

    def _transfer(
        self, call: Call, *, sends: bool, partner: int | None, tag: int | None, size: int | None
    ) -> tuple[Transfer, ...]:  # fmt: skip
        if partner == -1:
            return ()
        group = self._group(call)
        if partner is None or not 0 <= partner < len(group.members):
            raise ScheduleRefused(f"rank {self.rank.own.rank}: {call.op}: its communicator has no rank {partner}")
        return (Transfer(sends, group.members[partner], group, tag or 0, size or 0, None),)

    def _collective(self, call: Call) -> Collective:
        group = self._group(call)
        op = call.op[1].upper() + call.op[2:] if call.op[0] == "I" else call.op
        own = self.rank.own
        neighbours = neighbours_of(own, self._stream.calls, call, group.members) if op.startswith("Neighbor") else None
        assert call.comm is not None
        rank = own.rank if call.comm == 0 else own.comms[call.comm].rank
        if rank is None:
            rank = group.members.index(self.rank.number)
        if not 0 <= rank < len(group.members) or group.members[rank] != self.rank.number:
            raise ScheduleRefused(f"rank {own.rank}: {call.op}: communicator {call.comm} has another rank {rank}")
        return Collective(op, group, rank, None, neighbours)


def _waited_for(call: Call) -> tuple[int, ...]:
    return call.requests or () if call.op in {"Wait", "Waitall", "Test", "Testall"} else ()


@dataclass(slots=True)
class _Requests:
    """The requests of a rank: what is in each slot."""

    meanings: Sequence[_Meaning]
    _next: int = 0
    _persistent: dict[int, int] = field(default_factory=dict)  # slot -> call that created it
    _pending: dict[int, int] = field(default_factory=dict)  # slot -> request

    def create(self, meaning: _Meaning, number: int) -> tuple[tuple[Transfer, ...], Collective | None]:
        """The call's transfers with the new request; none if it is a persistent one, which other calls start."""
        assert meaning.creates is not None
        if meaning.is_persistent:
            self._persistent[meaning.creates] = number
            return (), None
        request = self._new(meaning.creates)
        collective = meaning.collective
        return (
            tuple(transfer._replace(request=request) for transfer in meaning.transfers),
            None if collective is None else collective._replace(request=request),
        )

    def start(self, call: Call) -> tuple[Transfer, ...]:
        """The messages of persistent requests."""
        transfers: list[Transfer] = []
        for slot, creator in zip(call.requests or (), call.creators_of_requests(self._persistent), strict=True):
            if slot < 0 and creator is None:
                continue
            if creator is None:
                raise ScheduleRefused(f"{call.op}: the persistent request in slot {slot} was created by no known call")
            request = self._new(slot)
            transfers.extend(transfer._replace(request=request) for transfer in self.meanings[creator].transfers)
        return tuple(transfers)

    def complete(self, slots: Sequence[int]) -> tuple[int, ...]:
        return tuple(self._pending.pop(slot) for slot in slots if slot in self._pending)

    def _new(self, slot: int) -> int:
        request, self._next = self._next, self._next + 1
        self._pending[slot] = request
        return request


def cancelled_requests(events: RankEvents) -> frozenset[int]:
    """Numbers of the requests that the rank cancels: no message matches them."""
    if not any(event.op == "Cancel" and event.n for event in events.rank.own.streams_by_thread()[0].calls):
        return frozenset()
    return frozenset(_Cancelled(events).found())


@dataclass(slots=True)
class _Cancelled:
    events: RankEvents

    def found(self) -> Iterator[int]:
        pending: dict[int, int] = {}
        for event in self.events:
            call = event.call
            for transfer in event.transfers:
                if transfer.request is not None and call.request is not None:
                    pending[call.request] = transfer.request
            if call.op == "Cancel":
                yield from (pending[slot] for slot in call.requests or () if slot in pending)
