"""Where the passes of a loop have stages. Pure."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

from stressbench.tracing.recognition.stencils.passes import STARTING, Event, Kind, is_between_ranks
from stressbench.tracing.recognition.stencils.stage_structure import OTHER_SIDE, Exchange, Role, Structure
from stressbench.tracing.recognition.stencils.template import COMPLETED, EventPlace, Passes, matched_messages

Span = tuple[int, int]
"""The first one, and the one after the last."""


@dataclass(frozen=True, slots=True)
class _Block:
    """Successive events that exchange messages with one partner and complete the requests that they start."""

    start: int
    end: int
    partner: int


def _blocks(events: Sequence[Event]) -> list[_Block]:
    blocks: list[_Block] = []
    pending: Counter[Kind] = Counter()
    start = 0
    partners: set[int | None] = set()
    for place, event in enumerate(events):
        messages = [message for message in (event.sent, event.received) if message is not None]
        partners |= {message.peer if is_between_ranks(message) else None for message in messages}
        if event.kind in STARTING:
            pending[event.kind] += 1
        elif event.kind in COMPLETED:
            for started in COMPLETED[event.kind]:
                del pending[started]
        elif not messages:
            partners.add(None)  # a collective
        if not pending:
            only = next(iter(partners)) if len(partners) == 1 else None
            if only is not None:
                blocks.append(_Block(start, place + 1, only))
            start, partners = place + 1, set()
    return blocks


@dataclass(frozen=True, slots=True)
class Unit:
    """What a rank does in a stage, and the events of it."""

    exchange: Exchange
    events: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundStages:
    """A loop over stages in one capture: the kinds of calls of each role, and the units of each rank."""

    structure: Structure
    shapes: tuple[tuple[Role, tuple[Kind, ...]], ...]
    units: tuple[tuple[Unit, ...], ...]

    def span(self, rank: int) -> Span:
        """All events of a rank in the loop."""
        own = self.units[rank]
        return own[0].events[0], own[-1].events[1]


class StageSearch:
    """Follows messages from a rank through all of its stages to all other ranks."""

    def __init__(self, passes: Passes) -> None:
        self._passes = passes
        self._ranks = len(passes)
        self._blocks = [_blocks(events) for events in passes]
        self._block_at = [
            {place: number for number, block in enumerate(own) for place in range(block.start, block.end)}
            for own in self._blocks
        ]
        received = matched_messages(passes)
        self._other_sides: dict[EventPlace, list[EventPlace]] = defaultdict(list)
        for receive, send in received.items():
            self._other_sides[receive].append(send)
            self._other_sides[send].append(receive)
        self._taken: list[set[int]] = [set() for _ in passes]

    def found(self) -> list[FoundStages]:
        """The loops over stages, in the order of rank 0."""
        found: list[FoundStages] = []
        for structure in self._structures():
            order_of = cache(partial(structure.exchanges, ranks=self._ranks))
            number = 0
            while number < len(self._blocks[structure.root]):
                places = self._places(order_of, structure.root, number)
                one = None if places is None else self._loop(structure, places)
                if one is None or places is None:
                    number += 1
                    continue
                found.append(one)
                for rank, spans in enumerate(places):
                    self._taken[rank].update(range(spans[0][0], spans[-1][1]))
                number = places[structure.root][-1][1]
        return sorted(found, key=lambda one: one.span(0))

    def _structures(self) -> Iterator[Structure]:
        if self._ranks.bit_count() == 1:
            for down in (False, True):
                yield Structure(in_tree=False, down=down)
        for root in range(self._ranks):
            for highest in (False, True):
                for down in (False, True):
                    yield Structure(in_tree=True, down=down, highest=highest, root=root)

    def _places(
        self, order_of: Callable[[int], Sequence[Exchange]], anchor: int, number: int
    ) -> list[list[Span]] | None:
        """For each rank, the blocks of each of its stages, if those of the anchor begin with this block."""
        first = order_of(anchor)[0]
        sizes = {first.role: self._run(anchor, number, first.partner)}
        if not sizes[first.role]:
            return None
        own = self._walk(anchor, order_of(anchor), 0, number, sizes)
        if own is None:
            return None
        placed = {anchor: own}
        waiting = deque([anchor])
        while waiting:
            rank = waiting.popleft()
            for exchange, span in zip(order_of(rank), placed[rank], strict=True):
                other_span = self._other_span(rank, span, exchange.partner)
                if other_span is None:
                    return None
                theirs = order_of(exchange.partner)
                place = next(k for k, one in enumerate(theirs) if one.stage == exchange.stage)
                if exchange.partner not in placed:
                    sizes.setdefault(OTHER_SIDE[exchange.role], other_span[1] - other_span[0])
                    walked = self._walk(exchange.partner, theirs, place, other_span[0], sizes)
                    if walked is None:
                        return None
                    placed[exchange.partner] = walked
                    waiting.append(exchange.partner)
                if placed[exchange.partner][place] != other_span:
                    return None
        return [placed[rank] for rank in range(self._ranks)]

    def _run(self, rank: int, number: int, partner: int) -> int:
        """How many blocks in a row from this one on have this partner."""
        length = 0
        while self._is_block(rank, number + length, partner, follows=length > 0):
            length += 1
        return length

    def _is_block(self, rank: int, number: int, partner: int, *, follows: bool) -> bool:
        blocks = self._blocks[rank]
        if not 0 <= number < len(blocks) or number in self._taken[rank] or blocks[number].partner != partner:
            return False
        return not follows or blocks[number - 1].end == blocks[number].start

    def _walk(
        self, rank: int, order: Sequence[Exchange], place: int, number: int, sizes: Mapping[Role, int]
    ) -> list[Span] | None:  # fmt: skip
        """The blocks of all stages of a rank, if those of one of them begin with this block."""
        if any(one.role not in sizes for one in order):
            return None
        number -= sum(sizes[one.role] for one in order[:place])
        spans: list[Span] = []
        for one in order:
            end = number + sizes[one.role]
            for at in range(number, end):
                if not self._is_block(rank, at, one.partner, follows=bool(spans) or at > number):
                    return None
            spans.append((number, end))
            number = end
        return spans

    def _other_span(self, rank: int, span: Span, partner: int) -> Span | None:
        """The blocks of the partner that have the other sides of the messages of these blocks."""
        numbers = {
            self._block_at[partner].get(place)
            for block in self._blocks[rank][slice(*span)]
            for event in range(block.start, block.end)
            for _, place in self._other_sides.get((rank, event), ())
        }
        known = {number for number in numbers if number is not None}
        return None if len(known) < len(numbers) or not known else (min(known), max(known) + 1)

    def _loop(self, structure: Structure, places: Sequence[Sequence[Span]]) -> FoundStages | None:
        """The loop at these blocks; None if ranks with one role, or one stage and another, make different calls."""
        units: list[tuple[Unit, ...]] = []
        shapes: dict[Role, tuple[Kind, ...]] = {}
        for rank, spans in enumerate(places):
            own = []
            for exchange, (first, last) in zip(structure.exchanges(rank, self._ranks), spans, strict=True):
                blocks = self._blocks[rank]
                span = (blocks[first].start, blocks[last - 1].end)
                events = self._passes[rank][slice(*span)]
                shape = tuple(event.kind for event in events)
                if shapes.setdefault(exchange.role, shape) != shape:
                    return None
                if structure.in_tree and not _is_one_way(events):
                    return None
                own.append(Unit(exchange, span))
            units.append(tuple(own))
        return FoundStages(structure=structure, shapes=tuple(sorted(shapes.items())), units=tuple(units))


def _is_one_way(events: Sequence[Event]) -> bool:
    return not any(event.sent for event in events) or not any(event.received for event in events)
