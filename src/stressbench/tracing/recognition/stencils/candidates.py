"""Candidates of motif `stencil` for the loops of a program. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, product

from stressbench.tracing.recognition.candidate import Candidate, Mesh
from stressbench.tracing.recognition.occurrences import ProgramCalls, ProgramLoop
from stressbench.tracing.recognition.stencils.grids import (
    DIMENSIONS,
    Grid,
    balanced,
    balanced_grids,
    other_grids,
)
from stressbench.tracing.recognition.stencils.passes import Event, Kind, NoStencil, OtherGrid, is_between_ranks
from stressbench.tracing.recognition.stencils.sizes import DividedMesh, blocks, sizes_of
from stressbench.tracing.recognition.stencils.stages import FEWEST_RANKS, StageLoop, stage_loops, with_stages
from stressbench.tracing.recognition.stencils.template import (
    Template,
    matching_sends,
    require_sends_before_waits,
    template_of,
)
from stressbench.tracing.recognition.stencils.written_calls import law_of, sizes_by_ranks, written_calls

_USUAL_DIMENSIONS = 3
_MOST_TRIED = 16
"""Combinations of loops of several captures."""
_ELEMENTS = (16, 8, 4)
"""Bytes of a number in a Fourier transform and the like."""
_SHARE = "/P"
_NUMBER = re.compile(r"^\d+")


@dataclass(frozen=True, kw_only=True)
class _Fit:
    """A template on grids, the mesh that its messages show (None: none; or that was known), and its calls as text."""

    grids: Sequence[Grid]
    template: Template
    mesh: DividedMesh | None
    is_known: bool
    calls: str

    def rank(self) -> tuple[object, ...]:
        """For comparison: a known mesh, few calls, few periodic dimensions, few dimensions, and balanced sides."""
        sides = self.grids[0].sides
        return (
            not self.is_known, len(self.template.nodes), sum(self.grids[0].periodic), len(sides),
            sides != balanced(self.grids[0].ranks, len(sides)),
        )  # fmt: skip


def stencils_of(
    programs: Sequence[ProgramCalls], *, known: Sequence[tuple[int, ...]] = ()
) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:  # fmt: skip
    """Candidates for the loops of captures of a program, and why other loops have none, as the ends of sentences.

    A loop of the first capture is taken together with those of the others that run as often and have the same kinds of
    calls, if one stencil makes all their calls, or else by itself.
    """
    found: list[Candidate] = []
    refusals: list[str] = []
    first, *others = [tuple(program.loops()) for program in programs]
    for loop in first:
        try:
            found.append(_of_all(loop, others, known))
        except NoStencil as why:
            refusals.append(str(why))
    return tuple(dict.fromkeys(found)), tuple(dict.fromkeys(refusals))


def _of_all(
    loop: ProgramLoop, others: Sequence[Sequence[ProgramLoop]], known: Sequence[tuple[int, ...]]
) -> Candidate:  # fmt: skip
    if loop.refusal:
        raise NoStencil(loop.refusal)
    alike = [[own for own in loops if own.times == loop.times and _kinds(own) == _kinds(loop)] for loops in others]
    for chosen in islice(product(*alike), _MOST_TRIED):
        if chosen:
            with suppress(NoStencil):
                return stencil(
                    [loop.passes, *(own.passes for own in chosen)], known=known,
                    moved_waits=loop.moved_waits or any(own.moved_waits for own in chosen),
                )  # fmt: skip
    return stencil([loop.passes], known=known, moved_waits=loop.moved_waits)


def _kinds(loop: ProgramLoop) -> frozenset[Kind]:
    return frozenset(event.kind for events in loop.passes for event in events)


def stencil(
    loops: Sequence[Sequence[Sequence[Event]]], *, known: Sequence[tuple[int, ...]] = (), moved_waits: bool = False
) -> Candidate:  # fmt: skip
    """The candidate for a loop: one pass on each rank, for each capture. Raises NoStencil.

    `known`: sides of meshes of which messages are taken to be layers if that is possible. `moved_waits`: waits are not
    where the program has them, but as early as they may be.

    Messages in stages that may well be layers of cells are taken for these, if a grid has them.
    """
    found = () if moved_waits else stage_loops(loops)
    clear = tuple(loop for loop in found if not loop.is_doubtful)
    refusals: list[NoStencil] = []
    for chosen in dict.fromkeys((clear, (), found)):
        try:
            candidate = _in_grid(with_stages(loops, chosen), known=known, moved_waits=moved_waits)
        except NoStencil as why:
            refusals.append(why)
        else:
            ranks = [len(passes) for passes in loops]
            return replace(candidate, assumed=(*candidate.assumed, *_assumed_of_stages(found, chosen, ranks)))
    raise refusals[1 if clear else 0]


def _assumed_of_stages(found: Sequence[StageLoop], chosen: Sequence[StageLoop], ranks: Sequence[int]) -> Iterator[str]:
    """What captures leave open: how stages go on, and whether their messages are those of a grid."""
    if chosen and max(ranks) == FEWEST_RANKS:
        shown = f"{FEWEST_RANKS} ranks have two"
        yield f"calls: stages, of which {shown}; a capture on 8 or more shows whether others follow"
    if sizes := sorted(frozenset().union(*(loop.open_sizes for loop in chosen))):
        yield f"calls: sizes in stages are {', '.join(sizes)} on other numbers of ranks, too"
    if tags := sorted(frozenset().union(*(loop.open_tags for loop in chosen))):
        yield f"calls: tags in stages are {', '.join(tags)} on other numbers of ranks, too"
    grid, stages = "a grid with two ranks in each dimension", "stages (^)"
    for are_stages in (True, False):
        if any(loop.would_fit_grid and (loop in chosen) is are_stages for loop in found):
            taken, other = (stages, grid) if are_stages else (f"those of {grid}", stages)
            yield f"calls: messages are taken for {taken}; on {ranks[0]} ranks, they would also fit {other}"


def _in_grid(
    loops: Sequence[Sequence[Sequence[Event]]], *, known: Sequence[tuple[int, ...]], moved_waits: bool
) -> Candidate:  # fmt: skip
    """The candidate for passes in which all other messages are those of a grid. Raises NoStencil."""
    fits: list[_Fit] = []
    refusals: list[NoStencil] = []
    ranks = [len(passes) for passes in loops]
    if not any(event.sent or event.received for passes in loops for events in passes for event in events):
        return _without_messages(loops)
    to_itself = any(
        event.sent is not None and event.sent.peer == rank
        for passes in loops for rank, events in enumerate(passes) for event in events
    )  # fmt: skip
    for choice in (balanced_grids(ranks, undivided=to_itself), other_grids(ranks[0]) if len(ranks) == 1 else ()):
        for chosen in () if fits else choice:
            try:
                fits.append(_fit(loops, chosen, known, moved_waits=moved_waits))
            except NoStencil as why:
                refusals.append(why)
    if not fits:
        raise next((why for why in refusals if not isinstance(why, OtherGrid)), refusals[0])
    fits.sort(key=_Fit.rank)
    best = fits[0]
    return _candidate(best, _others(fits))


def _fit(
    loops: Sequence[Sequence[Sequence[Event]]], chosen: Sequence[Grid], known: Sequence[tuple[int, ...]], *,
    moved_waits: bool,
) -> _Fit:  # fmt: skip
    template = template_of(loops, chosen)
    _require_all_neighbours(template, chosen)
    _require_both_ways(template, chosen)
    if moved_waits:
        require_sends_before_waits(template)
    sizes = sizes_of(template, chosen, known=known)
    received = {receive: sizes.of_node[send] for receive, send in matching_sends(template)}
    calls = written_calls(template, sizes.of_node, received, chosen, sizes.mesh)
    return _Fit(grids=chosen, template=template, mesh=sizes.mesh, is_known=sizes.is_known, calls=calls)


def _require_all_neighbours(template: Template, chosen: Sequence[Grid]) -> None:
    """Ranks must exchange messages with all neighbours that they have at the offsets of the template, and no others."""
    for node in template.nodes:
        events = {(capture, rank): event for capture, rank, event in node.events}
        for capture, grid in enumerate(chosen):
            for rank in range(grid.ranks):
                event = events.get((capture, rank))
                for offset, has in (
                    (node.symbol.to, event is not None and is_between_ranks(event.sent)),
                    (node.symbol.source, event is not None and is_between_ranks(event.received)),
                ):
                    if offset is not None and has != grid.has_neighbour(rank, offset):
                        raise OtherGrid("not all ranks exchange messages with neighbours at the same offsets")


def _require_both_ways(template: Template, chosen: Sequence[Grid]) -> None:
    """In a periodic dimension with two ranks, both neighbours are the same rank: there must be messages to both.

    They have to differ in their tags, or to be sent and received by one call. Otherwise they are two messages to one
    neighbour.
    """
    for k, periodic in enumerate(chosen[0].periodic):
        if not periodic or max(grid.sides[k] for grid in chosen) > 2:
            continue
        tags: dict[int, set[int]] = defaultdict(set)
        kinds = set()
        for node in template.nodes:
            if node.symbol.to is not None and node.symbol.to[k]:
                tags[node.symbol.to[k]].add(node.symbol.tag)
                kinds.add(node.symbol.kind)
        if len(tags) < 2 or (tags[1] & tags[-1] and kinds != {Kind.sendrecv}):
            raise OtherGrid("it has no messages around a periodic dimension")


def _others(fits: Sequence[_Fit]) -> tuple[str, ...]:
    """A sentence on other grids that would do as well."""
    best = fits[0].grids[0]
    others = [
        _grid_text(fit.grids[0])
        for fit in fits[1:]
        if len(fit.template.nodes) == len(fits[0].template.nodes) and not _is_like(fit.grids[0], best)
    ]
    periodic = any(fit.grids[0].sides == best.sides and fit.grids[0].periodic != best.periodic for fit in fits[1:])
    said = []
    dimensions = len(best.sides)
    may_be_more = dimensions < _USUAL_DIMENSIONS and not fits[0].is_known
    if may_be_more and all(balanced(grid.ranks, dimensions + 1)[-1] == 1 for grid in fits[0].grids):
        ranks = " and ".join(map(str, sorted({grid.ranks for grid in fits[0].grids})))
        said.append(
            f"grid: {dimensions} dimension{'' if dimensions == 1 else 's'}; a program that divides more of them has "
            f"the same messages on {ranks} ranks"
        )
    if dimensions > 1 and len(fits[0].grids) == 1 and fits[0].mesh is not None and not fits[0].is_known:
        said.append("mesh: layers that are wider than blocks look like those of larger blocks in one capture")
    if others and not fits[0].is_known:
        said.append(f"grid: {_grid_text(best)}; its messages would also fit {', '.join(dict.fromkeys(others))}")
    if periodic:
        said.append(f"periodic: {_periodic_text(best)}; its messages would also fit another choice")
    return tuple(said)


def _is_like(grid: Grid, best: Grid) -> bool:
    """Whether it differs only in the number and order of dimensions, or in which of them are periodic."""
    mirrored = grid.sides == best.sides[::-1] and grid.first_fastest != best.first_fastest
    return grid.sides == best.sides or mirrored


def _grid_text(grid: Grid) -> str:
    return "x".join(map(str, grid.sides))


def _periodic_text(grid: Grid) -> str:
    names = "".join(name for name, periodic in zip(DIMENSIONS, grid.periodic, strict=False) if periodic)
    return names or "none"


def _candidate(fit: _Fit, assumed: tuple[str, ...]) -> Candidate:
    grid = fit.grids[0]
    sides = (1,) * len(grid.sides) if fit.mesh is None else fit.mesh.sides
    options = [("mesh", "x".join(map(str, sides)))]
    if grid.sides != balanced(grid.ranks, len(grid.sides)):
        options.append(("grid", _grid_text(grid) + "x1" * (len(sides) - len(grid.sides))))
    elif len(sides) > len(grid.sides):
        options.append(("grid", "0" + "x1" * (len(sides) - 1)))
    if any(grid.periodic):
        options.append(("periodic", _periodic_text(grid)))
    if grid.first_fastest:
        options.append(("fastest", "first"))
    if fit.template.null_calls:
        options.append(("null-calls", ""))
    options.append(("calls", fit.calls))
    order = () if fit.template.ordered else ("calls: the order of calls to neighbours that no rank has both of",)
    named, of_mesh = ((), ()) if fit.mesh is None else (("mesh",), fit.mesh.assumed)
    return Candidate(
        motif="stencil", options=tuple(options), mesh=Mesh(options=named, dimensions=len(sides)),
        assumed=(*of_mesh, *assumed, *order), times_of_capture=True,
    )  # fmt: skip


def _without_messages(loops: Sequence[Sequence[Sequence[Event]]]) -> Candidate:
    """A loop of collectives: the mesh is a row of cells, of which all ranks give equal shares."""
    chosen = [Grid(sides=(len(passes),), periodic=(False,), first_fastest=False) for passes in loops]
    template = template_of(loops, chosen)
    laws = {
        place: law_of(node.symbol.kind, sizes_by_ranks(node, chosen))
        for place, node in enumerate(template.nodes)
        if node.symbol.kind not in (Kind.barrier, Kind.stages)
    }
    in_stages = [size for node in template.nodes if node.symbol.stages for size in node.symbol.stages.sizes]
    whole = [_whole(law) for law in (*laws.values(), *in_stages) if _SHARE in law]
    side = _cells_in(whole) if whole else 1
    if whole and side < max(len(passes) for passes in loops):
        raise NoStencil("the sizes of its collectives are less than a cell for each rank")
    mesh: DividedMesh | None = None
    if whole:
        mesh = DividedMesh(sides=(side,), cells=[[blocks(side, len(passes))] for passes in loops])
        laws = {place: _in_cells(law, side) for place, law in laws.items()}
    calls = written_calls(template, laws, {}, chosen, mesh, lambda law: _in_cells(law, side) if whole else law)
    assumed: tuple[str, ...] = ()
    if len(loops) == 1 and any(_SHARE in law for law in laws.values()):
        assumed = ("calls: what a rank gives to each collective is a share of the same whole on other ranks",)
    return Candidate(
        motif="stencil", options=(("mesh", str(side)), ("calls", calls)),
        mesh=Mesh(options=("mesh",) if whole else (), dimensions=1), assumed=assumed,
        times_of_capture=True,
    )  # fmt: skip


def _cells_in(whole: Sequence[int]) -> int:
    """Cells of a mesh of which these are the bytes."""
    element = next((one for one in _ELEMENTS if all(number % one == 0 for number in whole)), 1)
    cells = min(whole) // element
    return cells if all(number % cells == 0 for number in whole) else 1


def _whole(law: str) -> int:
    """Bytes of all ranks together, of which a share is the size."""
    number = _NUMBER.match(law)
    assert number is not None
    return int(number.group())


def _in_cells(law: str, cells: int) -> str:
    return _NUMBER.sub(f"{_whole(law) // cells}*X", law) if _SHARE in law else law
