"""Places for labels in a drawing where they cover as little as possible. Pure; lengths are in inches."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Segments: TypeAlias = NDArray[np.float64]
"""Lines of shape (lines, 4): x and y of the first end, x and y of the second."""
_DISTANCES = (0.14, 0.3, 0.6)
_LABEL_COST, _BOX_COST, _DISTANCE_COST = 100.0, 3.0, 0.6
"""What it costs to cover a text, or a box, and to be an inch away; to cover a line costs 1."""
_PLACES_PER_SIDE = 25
_SHORTEST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle with horizontal and vertical sides."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def centre(self) -> tuple[float, float]:
        """The middle of the box."""
        return (self.left + self.right) / 2, (self.bottom + self.top) / 2

    def overlaps(self, other: "Box") -> bool:
        """Whether the boxes share more than a side."""
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def contains(self, other: "Box") -> bool:
        """Whether the other box lies inside."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.bottom <= other.bottom
            and other.top <= self.top
        )


def box_around(centre: tuple[float, float], *, width: float, height: float) -> Box:
    """The box of this size around `centre`."""
    x, y = centre
    return Box(left=x - width / 2, bottom=y - height / 2, right=x + width / 2, top=y + height / 2)


def box_of(points: Sequence[tuple[float, float]]) -> Box:
    """The smallest box that has all the points."""
    xs, ys = zip(*points, strict=True)
    return Box(left=min(xs), bottom=min(ys), right=max(xs), top=max(ys))


def covered(box: Box, segments: Segments) -> int:
    """The number of lines that cross the box."""
    if not len(segments):
        return 0
    begin, step = segments[:, :2], segments[:, 2:] - segments[:, :2]
    step = np.where(np.abs(step) < _SHORTEST, _SHORTEST, step)
    low = (np.array([box.left, box.bottom]) - begin) / step
    high = (np.array([box.right, box.top]) - begin) / step
    first, last = np.minimum(low, high).max(axis=1), np.maximum(low, high).min(axis=1)
    return int(np.count_nonzero(np.maximum(first, 0.0) < np.minimum(last, 1.0)))


def free_place(
    anchor: tuple[float, float], *, width: float, height: float, within: Box, segments: Segments,
    boxes: Sequence[Box], labels: Sequence[Box],
) -> Box:  # fmt: skip
    """The place of a label of this size for what is at `anchor`, close to it and inside of `within`.

    It covers as few lines (`segments`) and `boxes` as possible, and the texts of `labels` only if there is no room
    elsewhere.
    """

    centres = _centres(anchor, width, height, within)
    candidates = [box_around(centre, width=width, height=height) for centre in centres]
    candidates = [box for box in candidates if within.contains(box)] or [box_around(anchor, width=width, height=height)]
    costs = (
        _BOX_COST * _overlaps(candidates, boxes)
        + _LABEL_COST * _overlaps(candidates, labels)
        + _DISTANCE_COST * np.array([math.dist(box.centre, anchor) for box in candidates])
    )
    best, least = candidates[0], math.inf
    for number in np.argsort(costs, kind="stable").tolist():
        if costs[number] >= least:
            break
        cost = costs[number] + covered(candidates[number], segments)
        if cost < least:
            best, least = candidates[number], cost
    return best


def _overlaps(candidates: Sequence[Box], boxes: Sequence[Box]) -> NDArray[np.intp]:
    """The number of `boxes` that each candidate overlaps, shape (candidates,)."""
    left, bottom, right, top = (_sides(candidates)[:, [side]] for side in range(4))
    others = _sides(boxes).T
    found = (left < others[2]) & (others[0] < right) & (bottom < others[3]) & (others[1] < top)
    counts: NDArray[np.intp] = found.sum(axis=1)
    return counts


def _sides(boxes: Sequence[Box]) -> NDArray[np.float64]:
    """Left, bottom, right and top of each box, shape (boxes, 4)."""
    return np.array([(box.left, box.bottom, box.right, box.top) for box in boxes], dtype=float).reshape(-1, 4)


def _centres(
    anchor: tuple[float, float], width: float, height: float, within: Box
) -> Iterator[tuple[float, float]]:  # fmt: skip
    """Places around the anchor, then places all over the drawing, then lines of them from its top down."""
    for distance, (dx, dy) in product(_DISTANCES, product((-1, 0, 1), repeat=2)):
        if dx or dy:
            yield anchor[0] + dx * (distance + width / 2), anchor[1] + dy * (distance + height / 2)
    half_width, half_height = width / 2 + _SHORTEST, height / 2 + _SHORTEST
    xs = np.linspace(within.left + half_width, within.right - half_width, _PLACES_PER_SIDE)
    ys = np.linspace(within.bottom + half_height, within.top - half_height, _PLACES_PER_SIDE)
    lines = np.arange(within.top - half_height, within.bottom + half_height, -2 * half_height)
    yield from product(xs.tolist(), [*ys.tolist(), *lines.tolist()])


def are_disjoint(boxes: Sequence[Box]) -> bool:
    """Whether no two boxes overlap."""
    by_left = sorted(boxes, key=lambda box: box.left)
    for number, box in enumerate(by_left):
        for other in by_left[number + 1 :]:
            if other.left >= box.right:
                break
            if box.overlaps(other):
                return False
    return True
