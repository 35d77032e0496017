"""Loops over stages in the passes of a loop, as motif `stencil` writes them. Pure."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stressbench.tracing.recognition.stencils.passes import STARTING, Event, Kind, NoStencil, Stages
from stressbench.tracing.recognition.stencils.stage_laws import SizeLaw, TagLaw, size_law, tag_law
from stressbench.tracing.recognition.stencils.stage_search import FoundStages, Span, StageSearch
from stressbench.tracing.recognition.stencils.stage_structure import Role
from stressbench.tracing.recognition.stencils.template import Passes

FEWEST_RANKS = 4
"""With fewer, there are no two stages, and each tree is a rank and its neighbours."""
_SHORTEST_LAYER = 64
"""Bytes from which on messages may be layers of cells."""
_USUAL_DIMENSIONS = 3
_MOST_DIMENSIONS = 4
_LEFT_OUT_WITHOUT_PARTNER = frozenset({Kind.send, Kind.recv, Kind.isend, Kind.irecv, Kind.waits})
"""Calls that ranks without a partner do not make."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageLoop:
    """A loop over stages, and the span of its events, by capture and rank.

    `would_fit_grid`: a grid with two ranks in each dimension may have the same messages. `is_doubtful`: and they may
    well be layers of cells. `open_sizes`, `open_tags`: what may go on in another way on other ranks.
    """

    stages: Stages
    spans: tuple[tuple[Span, ...], ...]
    would_fit_grid: bool
    is_doubtful: bool
    open_sizes: frozenset[str]
    open_tags: frozenset[str]


def stage_loops(captures: Sequence[Passes]) -> tuple[StageLoop, ...]:
    """The loops over stages that all captures have; none if these differ."""
    if min(map(len, captures)) < FEWEST_RANKS:
        return ()
    try:
        found = [StageSearch(passes).found() for passes in captures]
    except NoStencil:
        return ()
    if len({tuple((one.structure, one.shapes) for one in own) for own in found}) != 1:
        return ()
    sampled = [_Sampled(captures, alike) for alike in zip(*found, strict=True)]
    wholes = frozenset(whole for one in sampled for whole in one.wholes())
    return tuple(loop for one in sampled if (loop := one.loop(wholes)) is not None)


def with_stages(captures: Sequence[Passes], loops: Sequence[StageLoop]) -> list[list[tuple[Event, ...]]]:
    """The passes with one event in place of those of each loop."""
    return [
        [
            tuple(_replaced(events, [(loop.spans[capture][rank], loop.stages) for loop in loops]))
            for rank, events in enumerate(passes)
        ]
        for capture, passes in enumerate(captures)
    ]


def _replaced(events: Sequence[Event], loops: Sequence[tuple[Span, Stages]]) -> Iterator[Event]:
    place = 0
    for (start, end), stages in sorted(loops, key=lambda one: one[0]):
        yield from events[place:start]
        computed_s = sum(event.computed_s for event in events[start:end])
        yield Event(kind=Kind.stages, stages=stages, computed_s=computed_s)
        place = end
    yield from events[place:]


@dataclass(frozen=True, slots=True)
class _MessageEnd:
    """One side of a message: the role of the partner, the place of the call among those of a stage, and which side."""

    role: Role
    place: int
    sends: bool


class _Sampled:
    """A loop with its tags and bytes by number of ranks and stage."""

    def __init__(self, captures: Sequence[Passes], found: Sequence[FoundStages]) -> None:
        self._found = found
        self._structure = found[0].structure
        self._shapes = dict(found[0].shapes)
        self._ranks = [len(passes) for passes in captures]
        self._is_regular = True  # ranks do not differ
        self._tags: dict[_MessageEnd, dict[tuple[int, int], int]] = {}
        self._bytes: dict[_MessageEnd, dict[tuple[int, int], int]] = {}
        for passes, one in zip(captures, found, strict=True):
            for events, units in zip(passes, one.units, strict=True):
                for unit in units:
                    for place, event in enumerate(events[slice(*unit.events)]):
                        self._add((len(passes), unit.exchange.stage), unit.exchange.role, place, event)

    def _add(self, of: tuple[int, int], role: Role, place: int, event: Event) -> None:
        for message, sends in ((event.sent, True), (event.received, False)):
            if message is not None:
                side = _MessageEnd(role, place, sends)
                for samples, value in ((self._tags, message.tag), (self._bytes, message.bytes)):
                    self._is_regular &= samples.setdefault(side, {}).setdefault(of, value) == value

    @property
    def _are_on_one_number(self) -> bool:
        return len(set(self._ranks)) == 1

    @property
    def _halves_farthest_first(self) -> bool:
        return self._structure.down and not self._structure.in_tree

    def wholes(self) -> set[int]:
        """Bytes of all ranks together, if stages across bits halve them as in a reduce-scatter."""
        laws = [size_law(own, shares=True) for own in self._bytes.values()] if self._halves_farthest_first else []
        return {law.number for law in laws if law is not None and law.of_stage and law.of_ranks}

    def loop(self, wholes: frozenset[int]) -> StageLoop | None:
        """The loop; None if tags or sizes are no function of the stage. `wholes`: those of all loops of a pass."""
        sizes = {side: law for side in self._bytes if (law := self._size(side, wholes)) is not None}
        tags = {side: tag for side, own in self._tags.items() if (tag := tag_law(own)) is not None}
        if not self._is_regular or len(sizes) < len(self._bytes) or len(tags) < len(self._tags):
            return None
        stages = self._stages(sizes, tags)
        if stages is None:
            return None
        would_fit_grid = self._would_fit_grid(sizes.values())
        least = min(min(own.values()) for own in self._bytes.values())
        return StageLoop(
            stages=stages, spans=tuple(tuple(map(one.span, range(len(one.units)))) for one in self._found),
            would_fit_grid=would_fit_grid,
            is_doubtful=would_fit_grid and max(self._ranks) <= 1 << _USUAL_DIMENSIONS and least >= _SHORTEST_LAYER,
            open_sizes=frozenset(law.text for law in sizes.values() if law.of_stage and self._are_on_one_number),
            open_tags=frozenset(law.text for law in tags.values() if law.is_open),
        )  # fmt: skip

    def _size(self, side: _MessageEnd, wholes: frozenset[int]) -> SizeLaw | None:
        shared = size_law(self._bytes[side], shares=True)
        is_share = shared is not None and (self._halves_farthest_first or shared.number in wholes)
        return shared if is_share else size_law(self._bytes[side], shares=False)

    def _would_fit_grid(self, sizes: Iterable[SizeLaw]) -> bool:
        """In a closed grid, ranks at a border have no call for what is beyond, and MPI_Sendrecv is one call."""
        are_layers = self._are_on_one_number or any(law.of_ranks and not law.of_stage for law in sizes)
        is_one_sendrecv = set(self._shapes.values()) == {(Kind.sendrecv,)}
        is_small = max(self._ranks) <= 1 << _MOST_DIMENSIONS
        return not self._structure.in_tree and not is_one_sendrecv and is_small and are_layers

    def _stages(self, sizes: Mapping[_MessageEnd, SizeLaw], tags: Mapping[_MessageEnd, TagLaw]) -> Stages | None:
        """None for calls that all ranks would make where only those with a partner do."""
        write = _Writer(self._shapes, sizes, tags)
        bodies = {role: write.body(role, role) for role in self._shapes}
        if not self._structure.in_tree and write.body(Role.above, Role.across) == write.body(Role.below, Role.across):
            return _looped(self._structure.words, [write.body(Role.above, Role.across)])
        if any(kind not in _LEFT_OUT_WITHOUT_PARTNER for shape in self._shapes.values() for kind in shape):
            return None
        sides = {side.role for side in sizes if not side.sends and side.place == 0}
        return _looped(
            self._structure.words, [bodies[role] for role in sorted(bodies, key=lambda one: one not in sides)]
        )


def _looped(words: str, bodies: Sequence[Stages]) -> Stages:
    return Stages(
        form="; ".join([words, *(body.form for body in bodies), "end"]),
        sizes=tuple(size for body in bodies for size in body.sizes),
    )


@dataclass(frozen=True, slots=True)
class _Writer:
    shapes: Mapping[Role, Sequence[Kind]]
    sizes: Mapping[_MessageEnd, SizeLaw]
    tags: Mapping[_MessageEnd, TagLaw]

    def body(self, role: Role, written: Role) -> Stages:
        """The calls of a role as if it were the written one."""
        texts: list[str] = []
        sizes: list[str] = []
        pending = 0
        for place, kind in enumerate(self.shapes[role]):
            sides = [side for sends in (True, False) if (side := _MessageEnd(role, place, sends)) in self.sizes]
            if not sides:
                texts += [kind.value] * (pending if kind is Kind.waits else 1)
                pending = 0
                continue
            pending += kind in STARTING
            sizes += [self.sizes[side].text for side in sides]
            tags = list(dict.fromkeys(self.tags[side].text for side in sides))
            tag = "" if tags == ["0"] else f" tag {' '.join(tags)}"
            texts.append(f"{kind}{f' {written} {{}}' * len(sides)}{tag}")
        return Stages(form="; ".join(texts), sizes=tuple(sizes))
