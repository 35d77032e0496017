"""AMG: points of a rank from the borders of its finest matrix (docs/motifs/amg.md). Pure."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication
from stressbench.tracing.recognition.estimates.numbers import root

_DOUBLE = 8
_AXES = 3
_POINTS_OF_RANK = Mesh(options=("points",), dimensions=3, of_rank=True)


def amg(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `amg` for conjugate gradients: a rank's first persistent messages are those of its finest matrix.

    They are in the order of the neighbours. Rank 0 has one for each direction that is divided and for each sum of them:
    faces, edges and a corner.
    """
    borders: dict[int, int] = {}
    for message in communication.persistent:
        if message.to <= max(borders, default=0):
            break
        if message.tag or message.bytes % _DOUBLE:
            return
        borders[message.to] = message.bytes // _DOUBLE
    strides = _strides(tuple(borders))
    if strides is None:
        return
    for number, axes in enumerate(combinations(range(_AXES), len(strides))):
        points, assumed = _points(borders, dict(zip(axes, strides, strict=True)))
        for grid in (None, _grid(axes, strides, communication.ranks))[min(number, 1) :]:  # AMG's own has x first
            yield candidate("amg", _POINTS_OF_RANK, points=points, grid=grid, assumed=assumed, any_number=True)


def _strides(neighbours: tuple[int, ...]) -> tuple[int, ...] | None:
    """Distances of neighbours in the directions that are divided; None for other neighbours than those of AMG."""
    strides = tuple(neighbours[place] for place in (0, 1, 3) if place < len(neighbours))
    sums = [0]
    for stride in strides:
        sums += [one + stride for one in sums]
    return strides if strides and strides[0] == 1 and neighbours == tuple(sums[1:]) else None


def _grid(axes: Sequence[int], strides: Sequence[int], ranks: int) -> str:
    sides = [1] * _AXES
    for axis, stride, end in zip(axes, strides, (*strides[1:], ranks), strict=True):
        sides[axis] = end // stride
    return "x".join(map(str, sides))


def _points(borders: Mapping[int, int], strides: Mapping[int, int]) -> tuple[str, tuple[str, ...]]:
    """Points in x, y and z, and what is assumed of them. An edge between two directions has those of the third."""
    if len(strides) == 1:
        (face,) = (borders[stride] for stride in strides.values())
        return "x".join([str(root(face, 2))] * _AXES), (
            "points: a cube, since ranks have neighbours in one direction only",
        )
    (a, of_a), (b, of_b) = sorted(strides.items())[:2]
    edge = borders[of_a + of_b]
    points = {a: borders[of_b] // edge, b: borders[of_a] // edge, _AXES - a - b: edge}
    return "x".join(str(points[axis]) for axis in range(_AXES)), ()
