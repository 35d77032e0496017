"""The calls that all ranks of a loop make, each to those of its neighbours that exist. Pure."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from stressbench.tracing.recognition.stencils.grids import Grid, Offset, reversed_offset
from stressbench.tracing.recognition.stencils.passes import (
    COLLECTIVE,
    RECEIVING,
    SENDING,
    STARTING,
    Collective,
    Event,
    Kind,
    NoStencil,
    OtherGrid,
    Stages,
    is_between_ranks,
)

Passes = Sequence[Sequence[Event]]  # of one capture, by rank
EventPlace = tuple[int, int]
"""A rank, and the place of an event among its own."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """What all ranks do: a call, with offsets in place of ranks."""

    kind: Kind
    to: Offset | None = None
    tag: int = 0
    source: Offset | None = None
    source_tag: int = 0
    reduction: str | None = None
    root: int | None = None
    along: tuple[int, ...] | None = None  # dimensions of the communicator, None: all ranks
    stages: Stages | None = None
    place: tuple[int, int] = (0, 0)  # the phase of a pass, and the number among equal ones in it


@dataclass(slots=True)
class Node:
    """A symbol with the events that it stands for: (capture, rank, event)."""

    symbol: Symbol
    events: list[tuple[int, int, Event]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """Nodes in order. `null_calls`: messages beyond the border are calls, too. `ordered`: no order had to be chosen."""

    nodes: tuple[Node, ...]
    null_calls: bool
    ordered: bool


def template_of(captures: Sequence[Passes], grids: Sequence[Grid]) -> Template:
    """The template on these grids. Raises NoStencil if the calls of a rank are not those of its neighbourhood."""
    captures = _with_like_waits(captures)
    symbols = [_Symbols(passes, grid).of_all() for passes, grid in zip(captures, grids, strict=True)]
    return _aligned(captures, symbols) or _merged(captures, symbols)


COMPLETED = {
    Kind.waits: (Kind.isend, Kind.irecv), Kind.waitall: (Kind.isend, Kind.irecv), Kind.waitall_sends: (Kind.isend,),
    Kind.waitall_receives: (Kind.irecv,), Kind.waitall_nothing: (),
}  # fmt: skip
"""The calls whose requests a wait completes."""
_WAITS = (Kind.waitall_sends, Kind.waitall_receives, Kind.waitall, Kind.waitall_nothing)
"""Waits for several requests, the most specific ones first."""


def _with_like_waits(captures: Sequence[Passes]) -> list[list[list[Event]]]:
    """The passes with waits of the same kind on all ranks.

    A rank without receives waits for all of its requests where others wait for their sends, and one without requests
    for none.
    """
    places = [
        [[place for place, event in enumerate(events) if event.kind in _WAITS] for events in passes]
        for passes in captures
    ]
    copies = [[list(events) for events in passes] for passes in captures]
    if len({len(own) for ranks in places for own in ranks}) != 1:
        return copies
    for number in range(len(places[0][0])):
        waits = [
            (events, own[number])
            for passes, ranks in zip(copies, places, strict=True)
            for events, own in zip(passes, ranks, strict=True)
        ]
        kind = min((events[place].kind for events, place in waits), key=_WAITS.index)
        for events, place in waits:
            events[place] = replace(events[place], kind=kind)
    return copies


def matched_messages(passes: Passes) -> dict[EventPlace, EventPlace]:
    """For each receive the send whose message arrives: the k-th one with the same tag. Raises NoStencil."""
    sent: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    received: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for rank, events in enumerate(passes):
        for place, event in enumerate(events):
            if is_between_ranks(event.sent):
                sent[rank, event.sent.peer, event.sent.tag].append(place)
            if is_between_ranks(event.received):
                received[event.received.peer, rank, event.received.tag].append(place)
    if {key: len(places) for key, places in sent.items()} != {key: len(places) for key, places in received.items()}:
        raise NoStencil("not all messages are received in the pass in which they are sent")
    return {
        (to, own): (source, other)
        for (source, to, tag), places in received.items()
        for own, other in zip(places, sent[source, to, tag], strict=True)
    }


class _Symbols:
    """Names the partners of all messages of a capture by offsets; None in place of an offset: MPI_PROC_NULL."""

    def __init__(self, passes: Passes, grid: Grid) -> None:
        self._passes = passes
        self._grid = grid
        self._senders = matched_messages(passes)

    def of_all(self) -> list[list[Symbol]]:
        to = [self._offsets_of_sends(rank) for rank in range(len(self._passes))]
        return [
            [self._symbol(rank, place, event, to) for place, event in enumerate(events)]
            for rank, events in enumerate(self._passes)
        ]

    def _offsets_of_sends(self, rank: int) -> Mapping[int, Offset]:
        """By place. Where several offsets lead to the same rank, messages to it take turns."""
        offsets: dict[int, Offset] = {}
        earlier: Counter[int] = Counter()
        for place, event in enumerate(self._passes[rank]):
            if not is_between_ranks(event.sent):
                continue
            possible = self._grid.offsets(rank, event.sent.peer)
            if not possible:
                raise OtherGrid("ranks exchange messages that are no neighbours")
            offsets[place] = possible[earlier[event.sent.peer] % len(possible)]
            earlier[event.sent.peer] += 1
        return offsets

    def _symbol(self, rank: int, place: int, event: Event, to: Sequence[Mapping[int, Offset]]) -> Symbol:
        source: Offset | None = None
        if (rank, place) in self._senders:
            sender, its_place = self._senders[rank, place]
            source = reversed_offset(to[sender][its_place])
        own = event.collective
        return Symbol(
            kind=event.kind, to=to[rank].get(place), tag=0 if event.sent is None else event.sent.tag, source=source,
            source_tag=0 if event.received is None else event.received.tag,
            reduction=None if own is None else own.reduction, root=None if own is None else own.root,
            along=None if own is None else self._along(rank, own), stages=event.stages,
        )  # fmt: skip

    def _along(self, rank: int, collective: Collective) -> tuple[int, ...] | None:
        if collective.members is None:
            return None
        dimensions = range(len(self._grid.sides))
        for mask in range(1, 1 << len(dimensions)):
            along = tuple(k for k in dimensions if mask >> k & 1)
            if self._grid.line(rank, along) == collective.members:
                return along
        raise OtherGrid("a collective is of ranks that are no line or plane of the grid")


def _aligned(captures: Sequence[Passes], symbols: Sequence[Sequence[Sequence[Symbol]]]) -> Template | None:
    """The template if all ranks make the same calls, those to MPI_PROC_NULL included; None if they do not."""
    flat = [(c, r, own) for c, ranks in enumerate(symbols) for r, own in enumerate(ranks)]
    if len({len(own) for _, _, own in flat}) > 1:
        return None
    nodes: list[Node] = []
    null_calls = False
    for place, parallel in enumerate(zip(*(own for _, _, own in flat), strict=True)):
        unlike = {
            (one.kind, one.tag, one.source_tag, one.reduction, one.root, one.along, one.stages) for one in parallel
        }
        to = {one.to for one in parallel if one.to is not None}
        source = {one.source for one in parallel if one.source is not None}
        kind = parallel[0].kind
        sends, receives = kind in SENDING, kind in RECEIVING
        if len(unlike) == 1 and len(to) < sends:
            raise OtherGrid("some of its calls have a partner on no rank; a capture on more ranks may show which")
        if len(unlike) > 1 or len(to) != sends or len(source) != receives:
            return None
        first = parallel[0]
        node = Node(
            Symbol(
                kind=kind, to=next(iter(to), None), tag=first.tag, source=next(iter(source), None),
                source_tag=first.source_tag, reduction=first.reduction, root=first.root, along=first.along,
                stages=first.stages, place=(0, place),
            )
        )  # fmt: skip
        node.events = [(c, r, captures[c][r][place]) for c, r, _ in flat]
        nodes.append(node)
        beyond = any((sends and one.to is None) or (receives and one.source is None) for one in parallel)
        null_calls |= beyond and kind is not Kind.sendrecv
    return Template(nodes=tuple(nodes), null_calls=null_calls, ordered=True)


def _merged(captures: Sequence[Passes], symbols: Sequence[Sequence[Sequence[Symbol]]]) -> Template:
    """The template of which each rank leaves out the messages beyond its border."""
    nodes: dict[Symbol, Node] = {}
    before: dict[Symbol, set[Symbol]] = defaultdict(set)
    are_common = len({sum(map(_is_common, own)) for ranks in symbols for own in ranks}) == 1
    for capture, ranks in enumerate(symbols):
        for rank, own in enumerate(ranks):
            counted: Counter[Hashable] = Counter()
            placed: list[Symbol] = []
            phase = 0
            for place, one in enumerate(own):
                if (one.kind in SENDING and one.to is None) or (one.kind in RECEIVING and one.source is None):
                    raise OtherGrid("only some messages beyond the border are calls with MPI_PROC_NULL")
                counted[phase, one] += 1
                symbol = replace(one, place=(phase, counted[phase, one]))
                phase += are_common and _is_common(one)
                placed.append(symbol)
                nodes.setdefault(symbol, Node(symbol)).events.append((capture, rank, captures[capture][rank][place]))
            for earlier, later in pairwise(placed):
                before[later].add(earlier)
    if any(one.kind is Kind.sendrecv and len(node.events) < sum(map(len, captures)) for one, node in nodes.items()):
        raise OtherGrid("some ranks do not make a call of MPI_Sendrecv, which has to be made without partners, too")
    ordered, unique = _sorted(nodes, before)
    return Template(nodes=tuple(nodes[one] for one in ordered), null_calls=False, ordered=unique)


def _is_common(symbol: Symbol) -> bool:
    """Whether all ranks make such a call equally often, whatever neighbours they have: it separates phases."""
    is_of_all = symbol.kind is Kind.stages or (symbol.kind in COLLECTIVE and symbol.along is None)
    return symbol.kind in _WAITS or is_of_all


def _sorted(nodes: Mapping[Symbol, Node], before: Mapping[Symbol, set[Symbol]]) -> tuple[list[Symbol], bool]:
    """In an order that is that of all ranks, and whether there is no other. Raises NoStencil if there is none."""
    sorter: TopologicalSorter[Symbol] = TopologicalSorter({one: before.get(one, set()) for one in nodes})
    try:
        sorter.prepare()
    except CycleError:
        raise OtherGrid("ranks make the same calls in another order") from None
    order: list[Symbol] = []
    unique = True
    waiting: list[Symbol] = []
    while sorter.is_active():
        waiting += sorter.get_ready()
        unique &= len(waiting) == 1
        waiting.sort(key=_by_direction)
        first = waiting.pop(0)
        order.append(first)
        sorter.done(first)
    return order, unique


def _by_direction(symbol: Symbol) -> tuple[object, ...]:
    """Where the order is open: receives first, then down and up in each dimension."""
    offset = symbol.source or symbol.to or ()
    return (
        symbol.kind not in (Kind.irecv, Kind.recv), [abs(step) for step in offset][::-1], offset, symbol.place,
        symbol.tag,
    )  # fmt: skip


def matching_sends(template: Template) -> Iterator[tuple[int, int]]:
    """For each receive, by its place in the template, the place of the send whose message it receives."""
    sends: dict[tuple[Offset, int], list[int]] = defaultdict(list)
    receives: dict[tuple[Offset, int], list[int]] = defaultdict(list)
    for place, node in enumerate(template.nodes):
        if node.symbol.to is not None:
            sends[node.symbol.to, node.symbol.tag].append(place)
        if node.symbol.source is not None:
            receives[reversed_offset(node.symbol.source), node.symbol.source_tag].append(place)
    if {key: len(places) for key, places in sends.items()} != {key: len(places) for key, places in receives.items()}:
        raise OtherGrid("its messages are not received at the offsets from which they are sent")
    for key, places in receives.items():
        yield from zip(places, sends[key], strict=True)


def require_sends_before_waits(template: Template) -> None:
    """Raise NoStencil if all ranks would wait for messages before they send them.

    Waits that were moved to the call that starts the last of their requests may have had their place after these sends.
    """
    sends = dict(matching_sends(template))
    pending: dict[int, Kind] = {}
    for place, node in enumerate(template.nodes):
        kind = node.symbol.kind
        if kind in STARTING:
            pending[place] = kind
        completed = [one for one, started in pending.items() if started in COMPLETED.get(kind, ())]
        if any(sends.get(one, 0) > place for one in completed):
            raise NoStencil("where its waits are among other calls is not known, since ranks test for messages")
        for one in completed:
            del pending[one]
