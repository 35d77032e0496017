"""Calls as the tokens of the reference profiles: `Is>1:2:19400`, `Wa(2)`, `Allreduce[SUM]:8@4`.

Ranks are those of MPI_COMM_WORLD. If a communicator's members are unknown, a rank is written `2@c7`: rank 2 of
communicator 7. The token of MPI_Start depends on the persistent requests in its slots, so a tokenizer has to see the
calls in order. Requests that the sequence does not create are named by the call of MPI_Start itself.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from stressbench.formats.trace import Call, RankTrace, Stream
from stressbench.formats.trace.records import Wildcard
from stressbench.tracing.operations import (
    COLLECTIVES,
    COMMUNICATOR_CONSTRUCTORS,
    COMPLETION_TOKENS,
    PERSISTENT_INITS,
    RECEIVE_TOKENS,
    SEND_TOKENS,
    SENDING_CALLS,
    SENDRECV_CALLS,
    START_CALLS,
    WINDOW_CONSTRUCTORS,
    is_one_sided,
)
from stressbench.tracing.ranks import WorldRanks

_NO_SEND_BUFFER_IN_PLACE = frozenset({"Gather", "Gatherv", "Igather", "Igatherv"})


class TokenStyle(Enum):
    """`exact`: calls as the program made them. `replayed`: only what a faithful replay has in common with the program.

    In the latter, a receive from MPI_ANY_SOURCE shows the actual sender, and a call that creates a communicator shows
    the size of the new communicator instead of the call's name.
    """

    exact = auto()
    replayed = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message sent by a call: destination as a world rank (None: unknown) and size in bytes."""

    to: int | None
    bytes: int


@dataclass(slots=True)
class CallTokenizer:
    """Writes the calls of one thread of a rank as tokens. Stateful: it tracks the slots of persistent requests."""

    rank: RankTrace
    stream: Stream
    style: TokenStyle
    _world: WorldRanks = field(init=False)
    _tokens: list[str | None] = field(init=False)  # by call number; None: depends on slots
    _slots: dict[int, int] = field(init=False, default_factory=dict)  # slot -> number of the init call

    def __post_init__(self) -> None:
        self._world = WorldRanks(self.rank)
        self._tokens = [self._context_free_token(call) for call in self.stream.calls]

    @property
    def is_order_dependent(self) -> bool:
        """Whether a token depends on preceding calls, because different persistent requests share a slot."""
        if not any(call.op in START_CALLS for call in self.stream.calls):
            return False
        token_by_slot: dict[int, str] = {}
        for call in self.stream.calls:
            if _is_in_sequence(call) and call.request is not None:
                token = self._persistent_request(call)
                if token_by_slot.setdefault(call.request, token) != token:
                    return True
        return False

    def assign_slots(self) -> None:
        """Assign every persistent request to its slot in advance, so that tokens can be written in any order."""
        self._slots = {
            call.request: number
            for number, call in reversed(list(enumerate(self.stream.calls)))
            if _is_in_sequence(call) and call.request is not None
        }

    def token(self, number: int) -> str:
        """Token of the next call of the sequence; `number` is its call number."""
        fixed = self._tokens[number]
        if fixed is not None and self.stream.calls[number].op not in PERSISTENT_INITS:
            return fixed
        call = self.stream.calls[number]
        if call.op in PERSISTENT_INITS:
            if _is_in_sequence(call) and call.request is not None:
                self._slots[call.request] = number
            return fixed or call.op
        requests = ",".join(
            "?" if creator is None else self._persistent_request(self.stream.calls[creator])
            for creator in call.creators_of_requests(self._slots)
        )
        return f"{'St' if call.op == 'Startall' else call.op}({requests})"

    def tokens(self, numbers: Iterable[int]) -> Iterator[str]:
        """Tokens of the calls with these numbers, which must be in the order of the sequence."""
        order_dependent = [
            self._tokens[number] is None or call.op in PERSISTENT_INITS for number, call in enumerate(self.stream.calls)
        ]
        fixed = self._tokens
        return (self.token(number) if order_dependent[number] else fixed[number] or "" for number in numbers)

    def messages(self, number: int) -> tuple[Message, ...]:
        """Messages that call `number` sends, given the present assignment of slots."""
        call = self.stream.calls[number]
        if call.op in START_CALLS:
            creators = call.creators_of_requests(self._slots)
            started = [self.stream.calls[creator] for creator in creators if creator is not None]
            return tuple(self._message(init) for init in started if init.op in SEND_TOKENS and init.peer != -1)
        return (self._message(call),) if call.op in SENDING_CALLS and call.peer != -1 else ()

    def root(self, call: Call) -> int:
        """World rank of a collective's root; -1 without a root."""
        if call.root is None:
            return -1
        world = self._world.of(call.comm, call.root)
        return call.root if world is None else world

    def size_of(self, call: Call) -> int | None:
        """Size of the call's communicator; None without a communicator."""
        return None if call.comm is None else self.rank.comms[call.comm].size

    def _message(self, call: Call) -> Message:
        to = None if call.peer is None else self._world.of(call.comm, call.peer)
        return Message(to=to, bytes=call.bytes or 0)

    def _context_free_token(self, call: Call) -> str | None:
        op = call.op
        if op in SEND_TOKENS:
            return f"{SEND_TOKENS[op]}>{self._partner(call)}"
        if op in RECEIVE_TOKENS:
            return f"{RECEIVE_TOKENS[op]}<{self._partner(call)}"
        if op in SENDRECV_CALLS:
            return self._exchange(call)
        if op in COMPLETION_TOKENS:
            return f"{COMPLETION_TOKENS[op]}({len(call.requests or ())})"
        if op in START_CALLS:
            return None
        if op in COLLECTIVES:
            return self._collective(call)
        if op in COMMUNICATOR_CONSTRUCTORS:
            return self._communicator_constructor(call)
        if is_one_sided(op):
            return self._one_sided(call)
        return self._file(call) if op.startswith("File_") else op

    def _partner(self, call: Call) -> str:
        """The peer, tag and size of a message as `RANK:TAG:BYTES`."""
        wildcard = call.any if self.style is TokenStyle.exact else None
        rank = "*" if wildcard in (Wildcard.source, Wildcard.both) else self._rank(call.comm, call.peer)
        tag = "*" if wildcard in (Wildcard.tag, Wildcard.both) or call.tag is None else str(call.tag)
        return f"{rank}:{tag}:{call.bytes or 0}"

    def _rank(self, comm: int | None, rank: int | None) -> str:
        if rank is None:
            return "*"
        world = self._world.of(comm, rank)
        return f"{rank}@c{_or_unknown(comm)}" if world is None else str(world)

    def _exchange(self, call: Call) -> str:
        wildcard = self.style is TokenStyle.exact and call.any in (Wildcard.source, Wildcard.both)
        origin = "*" if wildcard else self._rank(call.comm, call.source)
        capacity = call.bytes if call.receive_bytes is None else call.receive_bytes
        token = "SR" if call.op == "Sendrecv" else "SRr"
        return f"{token}>{self._rank(call.comm, call.peer)}:{call.bytes or 0}<{origin}:{capacity or 0}"

    def _persistent_request(self, init: Call) -> str:
        return f"{'>' if init.op in SEND_TOKENS else '<'}{self._partner(init)}"

    def _collective(self, call: Call) -> str:
        size = 0 if call.in_place and call.op in _NO_SEND_BUFFER_IN_PLACE else call.bytes or 0
        reduction = f"[{call.reduction}]" if call.reduction else ""
        return f"{call.op}{reduction}:{size}@{_or_unknown(self.size_of(call))}"

    def _communicator_constructor(self, call: Call) -> str:
        if self.style is TokenStyle.exact:
            return call.op
        return f"Comm:{0 if call.made is None else self.rank.comms[call.made].size}"

    def _one_sided(self, call: Call) -> str:
        """Token with ranks of the window's communicator."""
        if call.op in WINDOW_CONSTRUCTORS:
            return f"{call.op}:{call.size or 0}@{_or_unknown(self.size_of(call))}"
        reduction = f"[{call.reduction}]" if call.reduction else ""
        partner = "" if call.peer is None else f">{call.peer}"
        size = max(call.bytes or 0, call.receive_bytes or 0)
        return f"{call.op}{reduction}{partner}" + ("" if call.bytes is None else f":{size}")

    def _file(self, call: Call) -> str:
        if call.op == "File_open":
            return f"File_open@{_or_unknown(self.size_of(call))}"
        place = "" if call.offset is None else f":{call.offset}"
        return f"{call.op}{place}" + ("" if call.bytes is None else f":{call.bytes}")


def _is_in_sequence(init: Call) -> bool:
    """Whether the call creates a persistent request in the sequence, rather than during a pause or before a window."""
    return init.op in PERSISTENT_INITS and init.n > 0


def _or_unknown(value: int | None) -> str:
    return "?" if value is None else str(value)
