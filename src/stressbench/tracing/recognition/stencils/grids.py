"""Process grids of motif `stencil`: which of them a number of ranks may form, and offsets between ranks. Pure."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import prod

DIMENSIONS = "xyzt"
_FARTHEST = 2
"""Steps in a dimension beyond which ranks are no neighbours."""

Offset = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Ranks in each dimension, where it is periodic, and whether ranks are numbered in the first dimension first."""

    sides: tuple[int, ...]
    periodic: tuple[bool, ...]
    first_fastest: bool

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return prod(self.sides)

    @cached_property
    def coordinates(self) -> tuple[tuple[int, ...], ...]:
        """The coordinates of each rank."""
        if self.first_fastest:
            return tuple(one[::-1] for one in product(*map(range, self.sides[::-1])))
        return tuple(product(*map(range, self.sides)))

    def has_neighbour(self, rank: int, offset: Offset) -> bool:
        """Whether there is a rank at this offset."""
        return all(
            periodic or 0 <= at + step < side
            for at, step, side, periodic in zip(self.coordinates[rank], offset, self.sides, self.periodic, strict=True)
        )

    def offsets(self, rank: int, other: int) -> tuple[Offset, ...]:
        """The offsets with the fewest steps from one rank to another; none if they are no neighbours.

        A rank is its own neighbour in periodic dimensions with a single rank.
        """
        if other == rank:
            return tuple(
                tuple(step if d == k else 0 for d in range(len(self.sides)))
                for k, side in enumerate(self.sides)
                if side == 1 and self.periodic[k]
                for step in (-1, 1)
            )
        steps = [
            _steps(at, to, side, periodic=periodic)
            for at, to, side, periodic in zip(
                self.coordinates[rank], self.coordinates[other], self.sides, self.periodic, strict=True
            )
        ]
        return tuple(product(*steps))

    def line(self, rank: int, along: Sequence[int]) -> tuple[int, ...]:
        """The ranks that differ from this one in these dimensions only, in the order of the numbers of ranks."""
        own = self.coordinates[rank]
        return tuple(
            other
            for other, at in enumerate(self.coordinates)
            if all(at[k] == own[k] for k in range(len(own)) if k not in along)
        )


@lru_cache(maxsize=4096)
def _steps(at: int, to: int, side: int, *, periodic: bool) -> tuple[int, ...]:
    differences = {to - at}
    if periodic:
        differences |= {to - at - side, to - at + side}
    least = min(map(abs, differences))
    if least > _FARTHEST:
        return ()
    return tuple(sorted(step for step in differences if abs(step) == least))


def reversed_offset(offset: Offset) -> Offset:
    """The way back."""
    return tuple(-step for step in offset)


def offset_text(offset: Offset) -> str:
    """As motif `stencil` reads it: +x-2y."""
    return "".join(
        f"{'-' if step < 0 else '+'}{abs(step) if abs(step) > 1 else ''}{name}"
        for step, name in zip(offset, DIMENSIONS, strict=False)
        if step
    )


def balanced(ranks: int, dimensions: int) -> tuple[int, ...]:
    """Factors as even as possible in descending order, as MPI_Dims_create and the engine choose them."""
    if dimensions == 1:
        return (ranks,)
    best: tuple[int, ...] = ()
    for largest in range(1, ranks + 1):
        if ranks % largest or largest**dimensions < ranks:
            continue
        best = (largest, *balanced(ranks // largest, dimensions - 1))
        if best[1] <= largest:
            return best
    return best


def balanced_grids(ranks: Sequence[int], *, undivided: bool) -> Iterator[tuple[Grid, ...]]:
    """Grids of captures on so many ranks each, with sides as MPI_Dims_create gives them in one to four dimensions.

    With `undivided`, there may be dimensions in which no capture has more than one rank.
    """
    for dimensions in range(1, len(DIMENSIONS) + 1):
        divided = tuple(balanced(one, dimensions) for one in ranks)
        if undivided or all(map(_is_divided(divided), range(dimensions))):
            yield from _numbered(divided)


def other_grids(ranks: int) -> Iterator[tuple[Grid, ...]]:
    """Other grids of a single capture."""
    for sides in _factorisations(ranks, len(DIMENSIONS)):
        if sides != balanced(ranks, len(sides)):
            yield from _numbered((sides,))


def _is_divided(sides: Sequence[Sequence[int]]) -> Callable[[int], bool]:
    return lambda k: any(one[k] > 1 for one in sides)


def _numbered(sides: Sequence[tuple[int, ...]]) -> Iterator[tuple[Grid, ...]]:
    """Grids with these sides. Only periodic dimensions show that they are not divided."""
    dimensions = range(len(sides[0]))
    for periodic in product(
        *((False, True) if divided else (True,) for divided in map(_is_divided(sides), dimensions))
    ):
        for first_fastest in (False, True) if len(dimensions) > 1 else (False,):
            yield tuple(Grid(sides=one, periodic=periodic, first_fastest=first_fastest) for one in sides)


def _factorisations(ranks: int, most: int) -> Iterator[tuple[int, ...]]:
    """Ordered factors greater than 1."""
    if ranks > 1:
        yield (ranks,)
    if most > 1:
        for first in range(2, ranks // 2 + 1):
            if ranks % first == 0:
                for rest in _factorisations(ranks // first, most - 1):
                    yield (first, *rest)
