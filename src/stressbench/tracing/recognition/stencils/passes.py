"""The calls of one pass of a loop on each rank, with ranks of MPI_COMM_WORLD. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeGuard

from stressbench.formats.trace import Call, RankTrace
from stressbench.formats.trace.records import Wildcard
from stressbench.tracing.operations import COLLECTIVES, NULL_REQUEST
from stressbench.tracing.ranks import WorldRanks

NOBODY = -1
"""MPI_PROC_NULL."""
_NO_CALL = -1  # before the first one


class Kind(StrEnum):
    """Calls of motif `stencil`, by their names there."""

    send = "send"
    recv = "recv"
    isend = "isend"
    irecv = "irecv"
    sendrecv = "sendrecv"
    waits = "wait"
    waitall = "waitall"
    waitall_sends = "waitall sends"
    waitall_receives = "waitall receives"
    waitall_nothing = "waitall nothing"
    barrier = "barrier"
    bcast = "bcast"
    reduce = "reduce"
    allreduce = "allreduce"
    allgather = "allgather"
    alltoall = "alltoall"
    stages = "stages"


_KINDS = {
    "Send": Kind.send, "Recv": Kind.recv, "Isend": Kind.isend, "Irecv": Kind.irecv, "Sendrecv": Kind.sendrecv,
    "Barrier": Kind.barrier, "Bcast": Kind.bcast, "Reduce": Kind.reduce, "Allreduce": Kind.allreduce,
    "Allgather": Kind.allgather, "Alltoall": Kind.alltoall,
}  # fmt: skip
STENCIL_CALLS = frozenset(_KINDS)
"""Names of calls that motif `stencil` makes, besides waits."""
COLLECTIVE = frozenset(kind for name, kind in _KINDS.items() if name in COLLECTIVES)
SENDING = frozenset({Kind.send, Kind.isend, Kind.sendrecv})
RECEIVING = frozenset({Kind.recv, Kind.irecv, Kind.sendrecv})
STARTING = frozenset({Kind.isend, Kind.irecv})
"""Calls that start a request."""


class NoStencil(Exception):
    """Raised for calls that motif `stencil` cannot make; the message says which, as the end of a sentence."""


class OtherGrid(NoStencil):
    """Raised if the calls do not fit a process grid; another one may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One side of a message: the other rank, the tag, and bytes."""

    peer: int
    tag: int
    bytes: int


def is_between_ranks(message: Message | None) -> TypeGuard[Message]:
    """Whether there is a message, and its other side is a rank."""
    return message is not None and message.peer != NOBODY


@dataclass(frozen=True, slots=True, kw_only=True)
class Collective:
    """A collective: bytes, the reduction, the root in its communicator, and the ranks that take part (None: all)."""

    bytes: int
    reduction: str | None = None
    root: int | None = None
    members: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """A loop over stages as text, with {} in place of its sizes."""

    form: str
    sizes: tuple[str, ...]

    def text(self, size: Callable[[str], str] = str) -> str:
        """As motif `stencil` reads it, with each size as this function changes it."""
        return self.form.format(*map(size, self.sizes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A call, successive waits for all pending requests one after the other, or a loop over stages.

    `computed_s`: seconds before it; before and within stages.
    """

    kind: Kind
    sent: Message | None = None
    received: Message | None = None
    collective: Collective | None = None
    stages: Stages | None = None
    computed_s: float = 0.0


def events_of(
    rank: RankTrace, numbers: Sequence[int], *, ranks: int, before: int | None = None
) -> tuple[Event, ...]:  # fmt: skip
    """The calls of a pass or part, given by their numbers, and the call before them (None: the program begins).

    Raises NoStencil.
    """
    return tuple(_Reader(rank, ranks).read(numbers, before)) if numbers else ()


class _Reader:
    def __init__(self, rank: RankTrace, ranks: int) -> None:
        self._rank = rank
        self._ranks = ranks
        self._world = WorldRanks(rank)
        self._pending: dict[int, Kind] = {}  # by slot, the oldest first
        self._gaps = {(gap.before, gap.after): gap.sum_s / gap.n for gap in rank.gaps or () if gap.n}

    def read(self, numbers: Sequence[int], before: int | None) -> list[Event]:
        events: list[Event] = []
        waiting = False
        last = _NO_CALL if before is None else before
        for number in numbers:
            call = self._rank.calls[number]
            computed_s = self._gaps.get((last, number), 0.0)
            last = number
            if call.op in ("Wait", "Test"):
                if not waiting:
                    events.append(Event(kind=Kind.waits, computed_s=computed_s))
                waiting = self._waits(call)
                continue
            if waiting:
                raise NoStencil("it waits for some of its requests one by one, with other calls between")
            events.append(self._event(call, computed_s))
        if self._pending:
            raise NoStencil("requests are pending at the end of a pass")
        return events

    def _waits(self, call: Call) -> bool:
        """Note a wait for one request; whether others are pending."""
        (slot,) = call.requests or (None,)
        if slot is None or slot != next(iter(self._pending), None):
            raise NoStencil("it waits for its requests in another order than that in which they were started")
        del self._pending[slot]
        return bool(self._pending)

    def _waits_for_all(self, call: Call) -> Kind:
        """Note a wait for several requests, and which of the pending ones these are.

        Of a rank that has only sends pending, it is taken for one for all; `template_of` looks at the others.
        """
        slots = set(call.requests or ()) - {NULL_REQUEST}
        if not slots:
            return Kind.waitall_nothing
        for kind, own in (
            (Kind.waitall, set(self._pending)),
            (Kind.waitall_sends, {slot for slot, kind in self._pending.items() if kind is Kind.isend}),
            (Kind.waitall_receives, {slot for slot, kind in self._pending.items() if kind is Kind.irecv}),
        ):
            if slots == own:
                self._pending = {slot: kind for slot, kind in self._pending.items() if slot not in slots}
                return kind
        raise NoStencil("a wait is for some of several pending requests")

    def _event(self, call: Call, computed_s: float) -> Event:
        if call.op in ("Waitall", "Testall"):
            return Event(kind=self._waits_for_all(call), computed_s=computed_s)
        kind = _KINDS.get(call.op)
        if kind is None:
            raise NoStencil(f"motif stencil has no MPI_{call.op}")
        if call.any is not None:
            raise NoStencil(f"MPI_{call.op} with a wildcard")
        if call.op in COLLECTIVES:
            return Event(kind=kind, collective=self._collective(call), computed_s=computed_s)
        sent = self._message(call, call.peer, call.tag, call.bytes) if kind in SENDING else None
        received: Message | None = None
        if kind is Kind.sendrecv:
            received = self._message(call, call.source, call.receive_tag, call.receive_bytes)
        elif kind in RECEIVING:
            received = self._message(call, call.peer, call.tag, call.bytes)
        if call.request is not None:
            self._pending[call.request] = kind
        return Event(kind=kind, sent=sent, received=received, computed_s=computed_s)

    def _message(self, call: Call, peer: int | None, tag: int | None, bytes_: int | None) -> Message:
        world = None if peer is None else self._world.of(call.comm, peer)
        if world is None or tag is None or call.any in (Wildcard.source, Wildcard.both):
            raise NoStencil(f"the partner of MPI_{call.op} is not known")
        return Message(peer=world, tag=tag, bytes=bytes_ or 0)

    def _collective(self, call: Call) -> Collective:
        if call.request is not None or call.comm is None:
            raise NoStencil(f"motif stencil has no nonblocking {call.op}")
        size = self._rank.comms[call.comm].size
        members: tuple[int, ...] | None = None
        if size != self._ranks:
            world = [self._world.of(call.comm, place) for place in range(size)]
            members = tuple(one for one in world if one is not None)
            if len(members) != size:
                raise NoStencil(f"the ranks of MPI_{call.op} are not known")
        return Collective(bytes=call.bytes or 0, reduction=call.reduction, root=call.root, members=members)
