"""Places for labels in a drawing where they cover as little as possible. Pure; lengths are in inches."""

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
"""What it costs to cover another label, or a box, and to be an inch away; to cover a line costs 1."""
_PLACES_PER_SIDE = 9
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

    It covers as few lines (`segments`) and `boxes` as possible, and other `labels` only if there is no room elsewhere.
    """

    def cost(box: Box) -> float:
        x, y = box.centre
        distance = float(np.hypot(x - anchor[0], y - anchor[1]))
        return (
            covered(box, segments)
            + _BOX_COST * sum(box.overlaps(other) for other in boxes)
            + _LABEL_COST * sum(box.overlaps(other) for other in labels)
            + _DISTANCE_COST * distance
        )

    candidates = (box_around(centre, width=width, height=height) for centre in _centres(anchor, width, height, within))
    inside = [box for box in candidates if within.contains(box)]
    return min(inside, key=cost, default=box_around(anchor, width=width, height=height))


def _centres(
    anchor: tuple[float, float], width: float, height: float, within: Box
) -> Iterator[tuple[float, float]]:  # fmt: skip
    """Places around the anchor, then places all over the drawing."""
    for distance, (dx, dy) in product(_DISTANCES, product((-1, 0, 1), repeat=2)):
        if dx or dy:
            yield anchor[0] + dx * (distance + width / 2), anchor[1] + dy * (distance + height / 2)
    xs = np.linspace(within.left + width / 2, within.right - width / 2, _PLACES_PER_SIDE)
    ys = np.linspace(within.bottom + height / 2, within.top - height / 2, _PLACES_PER_SIDE)
    yield from product(xs.tolist(), ys.tolist())


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
