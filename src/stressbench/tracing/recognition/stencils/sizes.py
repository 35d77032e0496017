"""Sizes of messages as products of the cells of a rank, and the mesh that they show. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import prod

from stressbench.tracing.recognition.stencils.grids import DIMENSIONS, Grid, Offset
from stressbench.tracing.recognition.stencils.passes import NoStencil, is_between_ranks
from stressbench.tracing.recognition.stencils.template import Template

_UNITS = (*range(8, 264, 8), 4, 2, 1)
"""Bytes of a cell to try: of one or more doubles, or smaller."""
_ELEMENTS = (8, 4, 1)
"""Bytes of which the size of a cell is a multiple, the most likely first."""
_WIDEST_MARGIN = 16
_MARGIN = re.compile(r"\+(\d+)\)")
_SHORTEST_LAYER = 64
"""Bytes from which on messages of one length are taken for a layer of a dimension that is not divided."""

Cells = Sequence[Sequence[Sequence[int]]]  # by capture, dimension and coordinate


@dataclass(frozen=True, slots=True)
class _Sent:
    """A message that a node sent: the capture, the coordinates of the sender, and bytes."""

    capture: int
    coordinates: tuple[int, ...]
    bytes: int


@dataclass(frozen=True, kw_only=True)
class DividedMesh:
    """The mesh: its sides, and for each capture the cells of blocks by dimension and coordinate.

    `assumed`: what the messages leave open.
    """

    sides: tuple[int, ...]
    cells: Cells
    undivided: int = 1
    assumed: tuple[str, ...] = ()

    def of_rank(self, capture: int, coordinates: Sequence[int]) -> int:
        """Cells of a rank."""
        own = self.cells[capture]
        return prod(own[k][at] for k, at in enumerate(coordinates)) * self.undivided


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The mesh (None: no message is a layer), and the size of the message of each sending node, as text.

    `is_known`: the mesh was known before.
    """

    mesh: DividedMesh | None
    of_node: Mapping[int, str]
    is_known: bool = False


def sizes_of(template: Template, grids: Sequence[Grid], *, known: Sequence[tuple[int, ...]] = ()) -> Sizes:
    """The mesh that the messages show, or one of the `known` ones by its sides, if all messages are layers of it.

    Raises NoStencil if the sizes are no product of cells, or cells are not divided evenly.
    """
    sent = _sent_by_node(template, grids)
    offsets = {place: template.nodes[place].symbol.to or () for place in sent}
    for place, own in sent.items():
        _require_same_along(own, [k for k, step in enumerate(offsets[place]) if step])
    found = [one for sides in known if (one := _of_known(sides, offsets, sent, grids)) is not None]
    if found:
        return min(found, key=_margins)
    mesh = _mesh(_layers(offsets, sent, len(grids[0].sides)), sent, grids)
    return Sizes(mesh=mesh, of_node={place: _text(offsets[place], own, mesh, grids) for place, own in sent.items()})


def _of_known(
    sides: tuple[int, ...], offsets: Mapping[int, Offset], sent: Mapping[int, Sequence[_Sent]], grids: Sequence[Grid]
) -> Sizes | None:  # fmt: skip
    """The sizes in a mesh with these sides; None if a message is not a layer of it."""
    fits = len(sides) == len(grids[0].sides) > 1 and all(
        side >= parts for grid in grids for side, parts in zip(sides, grid.sides, strict=True)
    )
    if not fits:
        return None
    cells = [[blocks(side, parts) for side, parts in zip(sides, grid.sides, strict=True)] for grid in grids]
    mesh = DividedMesh(sides=sides, cells=cells)
    of_node: dict[int, str] = {}
    for place, own in sent.items():
        is_across = 0 in offsets[place]
        text = _layer(offsets[place], own, mesh) if is_across else _text(offsets[place], own, mesh, grids)
        if text is None:
            return None
        of_node[place] = text
    return Sizes(mesh=mesh, of_node=of_node, is_known=True)


def _margins(sizes: Sizes) -> int:
    """By how many cells layers are wider than blocks, in all. In the wrong mesh, these are many."""
    return sum(int(margin) for text in sizes.of_node.values() for margin in _MARGIN.findall(text))


def _sent_by_node(template: Template, grids: Sequence[Grid]) -> dict[int, list[_Sent]]:
    sent: dict[int, list[_Sent]] = defaultdict(list)
    for place, node in enumerate(template.nodes):
        for capture, rank, event in node.events:
            if is_between_ranks(event.sent):
                sent[place].append(_Sent(capture, grids[capture].coordinates[rank], event.sent.bytes))
    return sent


def _require_same_along(sent: Iterable[_Sent], dimensions: Sequence[int]) -> None:
    """Sizes must not depend on the place in the direction of the message."""
    sizes: dict[tuple[int, tuple[int, ...]], int] = {}
    for one in sent:
        across = tuple(at for k, at in enumerate(one.coordinates) if k not in dimensions)
        if sizes.setdefault((one.capture, across), one.bytes) != one.bytes:
            raise NoStencil("the sizes of its messages are not those of layers of cells")


def _layers(
    offsets: Mapping[int, Offset], sent: Mapping[int, Sequence[_Sent]], dimensions: int
) -> list[Sequence[_Sent]]:  # fmt: skip
    """For each dimension, the shortest messages to the next rank in it."""
    layers: list[Sequence[_Sent]] = []
    for k in range(dimensions):
        own = [
            messages
            for place, messages in sent.items()
            if _is_along(offsets[place], k) and max(one.bytes for one in messages)
        ]
        if not own:
            raise NoStencil(f"no message goes to the next rank along {DIMENSIONS[k]}")
        layers.append(min(own, key=lambda messages: max(one.bytes for one in messages)))
    return layers


def _is_along(offset: Offset, dimension: int) -> bool:
    return all(abs(step) == (k == dimension) for k, step in enumerate(offset))


def _mesh(
    layers: Sequence[Sequence[_Sent]], sent: Mapping[int, Sequence[_Sent]], grids: Sequence[Grid]
) -> DividedMesh | None:  # fmt: skip
    if len(layers) == 1:
        return _mesh_of_lines(sent, grids)
    for unit in _UNITS:
        cells = _cells(layers, grids, unit)
        if cells is not None:
            return _without_margin(cells, grids)
    raise NoStencil("the sizes of its messages are not those of layers of cells")


def _mesh_of_lines(sent: Mapping[int, Sequence[_Sent]], grids: Sequence[Grid]) -> DividedMesh | None:
    """In a grid with one dimension, no message shows the cells along it, and a layer is as long on any number of ranks.

    The mesh is taken to have as many cells in the dimension that is divided as in a layer. None for short messages.
    """
    shortest = min(one.bytes for messages in sent.values() for one in messages)
    unit = next((unit for unit in (8, 4) if shortest % unit == 0), 1)
    if shortest < _SHORTEST_LAYER:
        return None
    length = shortest // unit
    side = max(length, *(grid.ranks for grid in grids))
    return DividedMesh(
        sides=(side, length), cells=[[blocks(side, grid.sides[0])] for grid in grids], undivided=length,
        assumed=(f"mesh: {side} cells in x, as many as in y or one for each rank, since no message shows them",),
    )  # fmt: skip


def _cells(layers: Sequence[Sequence[_Sent]], grids: Sequence[Grid], unit: int) -> dict[int, list[list[int]]] | None:
    """Cells of blocks, by capture, if a cell has so many bytes; None if they are no whole numbers.

    Captures in which a dimension is not divided have no layer of it, and are left out.
    """
    cells: dict[int, list[list[int]]] = {}
    for capture, grid in enumerate(grids):
        sizes = [
            {_across(one.coordinates, k): one.bytes for one in layer if one.capture == capture}
            for k, layer in enumerate(layers)
        ]
        if not all(sizes):
            continue
        own = _blocks_of(sizes, grid, unit)
        if own is None:
            return None
        cells[capture] = own
    return cells or None


def _blocks_of(sizes: Sequence[Mapping[tuple[int, ...], int]], grid: Grid, unit: int) -> list[list[int]] | None:
    """Cells of blocks by dimension and coordinate, from the bytes of a layer across each dimension."""
    dimensions = len(sizes)
    origin = (0,) * dimensions
    first = [own.get(_across(origin, k), 0) for k, own in enumerate(sizes)]
    if min(first) <= 0:
        return None
    layers: list[list[int]] = []  # bytes by coordinate in each dimension, of a layer across another one
    for k, side in enumerate(grid.sides):
        other = 0 if k else 1
        places = (tuple(at if d == k else 0 for d in range(dimensions)) for at in range(side))
        layers.append([sizes[other].get(_across(place, other), 0) for place in places])
    counts = _first_blocks(layers, first, unit)
    if counts is None:
        return None
    cells: list[list[int]] = []
    for layer, count in zip(layers, counts, strict=True):
        if any(bytes_ * count % layer[0] for bytes_ in layer):
            return None
        cells.append([bytes_ * count // layer[0] for bytes_ in layer])
    return cells


def _first_blocks(layers: Sequence[Sequence[int]], first: Sequence[int], unit: int) -> list[int] | None:
    """Cells of the first block in each dimension; `first` are the bytes of its layers across each dimension.

    Where later blocks have one cell less, their layers tell the cells of the first one. Otherwise a cell has `unit`
    bytes: a layer has the product of cells in all other dimensions, and if no dimension is known, a block has the root
    of the product of its layers.
    """
    counts: dict[int, int] = {}
    for k, layer in enumerate(layers):
        if layer[-1] != layer[0]:
            counts[k], rest = divmod(layer[0], max(layer[0] - layer[-1], 1))
            if rest:
                return None
    dimensions = len(layers)
    if not counts and dimensions > 2:
        volume = round(prod(one / unit for one in first) ** (1 / (dimensions - 1)))
        is_whole = volume ** (dimensions - 1) * unit**dimensions == prod(first)
        if not is_whole or any(volume * unit % one for one in first):
            return None
        counts = {k: volume * unit // one for k, one in enumerate(first)}
    while len(counts) < dimensions:
        resolved: dict[int, tuple[int, int]] = {}
        for k, across in permutations(range(dimensions), 2):
            others = [d for d in range(dimensions) if d not in (k, across)]
            if k not in counts and all(d in counts for d in others):
                resolved[k] = divmod(first[across], unit * prod(counts[d] for d in others))
        if not resolved or any(rest for _, rest in resolved.values()):
            return None
        counts |= {k: count for k, (count, _) in resolved.items()}
    return [counts[k] for k in range(dimensions)] if min(counts.values()) > 0 else None


def _across(coordinates: Sequence[int], dimension: int) -> tuple[int, ...]:
    return tuple(at for k, at in enumerate(coordinates) if k != dimension)


def _without_margin(cells: Mapping[int, Sequence[Sequence[int]]], grids: Sequence[Grid]) -> DividedMesh:
    """The mesh of these blocks.

    If they add up to more on more ranks, each has a margin, which is no part of the mesh.
    """
    sides: list[int] = []
    of_captures: list[list[list[int]]] = [[] for _ in grids]
    for k in range(len(grids[0].sides)):
        sums = {grids[capture].sides[k]: sum(own[k]) for capture, own in cells.items()}
        (parts, whole), *more = sums.items()
        margin = next(((other - whole) // (b - parts) for b, other in more if b != parts), 0)
        side = whole - margin * parts
        sides.append(side)
        for capture, grid in enumerate(grids):
            if side < grid.sides[k]:
                raise NoStencil(f"its blocks are not those of a mesh that is divided in {DIMENSIONS[k]}")
            of_captures[capture].append(blocks(side, grid.sides[k]))
            if capture in cells and [one - margin for one in cells[capture][k]] != of_captures[capture][k]:
                raise NoStencil(f"its blocks are not those of a mesh that is divided evenly in {DIMENSIONS[k]}")
    return DividedMesh(sides=tuple(sides), cells=of_captures)


def blocks(cells: int, parts: int) -> list[int]:
    """Cells of the blocks into which the engine divides a row of cells."""
    return [cells // parts + (k < cells % parts) for k in range(parts)]


def _text(offset: Offset, sent: Sequence[_Sent], mesh: DividedMesh | None, grids: Sequence[Grid]) -> str:
    """The size of a message: a number, or a number times the cells in the dimensions in which it does not move."""
    sizes = {one.bytes for one in sent}
    across = [k for k, step in enumerate(offset) if not step]
    if len(grids[0].sides) == 1:
        (size,) = sizes if len(sizes) == 1 else (None,)
        if size is None:
            raise NoStencil("the sizes of its messages change with the number of ranks")
        length = 0 if mesh is None else mesh.sides[1]
        return _product(size // length, ["y"]) if length and size % length == 0 else str(size)
    if not across:
        if len(sizes) > 1:
            raise NoStencil("messages to diagonal neighbours have several sizes")
        return str(sizes.pop())
    layer = None if mesh is None else _layer(offset, sent, mesh)
    if layer is not None:
        return layer
    if len(sizes) == 1:
        return str(sizes.pop())
    raise NoStencil("the sizes of its messages are not those of layers of cells")


def _layer(offset: Offset, sent: Sequence[_Sent], mesh: DividedMesh) -> str | None:
    """The size of a layer across the direction of the message, as wide as a block or wider; None for other sizes."""
    across = [k for k, step in enumerate(offset) if not step]
    for element in _ELEMENTS:
        for margin in range(_WIDEST_MARGIN + 1):
            factors = [prod(mesh.cells[one.capture][k][one.coordinates[k]] + margin for k in across) for one in sent]
            each = sent[0].bytes // factors[0]
            fits = all(each * factor == one.bytes for factor, one in zip(factors, sent, strict=True))
            if fits and each and each % element == 0:
                return _product(each, [DIMENSIONS[k] if not margin else f"({DIMENSIONS[k]}+{margin})" for k in across])
    return None


def _product(number: int, factors: Sequence[str]) -> str:
    return "*".join((str(number), *factors)) if number else "0"


def shares_of_ranks(sizes: Mapping[int, int]) -> Iterator[str]:
    """Laws that give the size of a collective by number of ranks: constant, or divided by it once or twice."""
    if len(set(sizes.values())) == 1:
        yield str(next(iter(sizes.values())))
    for power in (1, 2):
        whole = {size * ranks**power for ranks, size in sizes.items()}
        if len(whole) == 1:
            yield f"{whole.pop()}{'/P' * power}"
