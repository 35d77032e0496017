"""The picture of a network in inches: its names, its fields, and places for the labels of links. Pure."""

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from stressbench.report.names import short
from stressbench.report.network.blocks import BlockNetwork, HostBlock
from stressbench.report.network.labels import Box, Segments, are_disjoint, box_around, box_of, free_place
from stressbench.report.network.layout import BLOCK_RADIUS, NetworkLayout, Point, Shape

Pair: TypeAlias = tuple[str, str]
"""A link by the keys of its ends."""
Labels: TypeAlias = Mapping[Pair, str]
"""The labels of links in a panel, of one or more lines."""
FIELD_HEIGHT, BAR_HEIGHT, GRID_FIELD_HEIGHT = 0.13, 0.42, 0.1
"""Extent of fields in levels or rows: of a host above and below its centre, of many hosts below it, and on a grid."""
FIELD_WIDTH = 0.16
"""Width of fields on the circle, as a share of its radius."""
LARGEST_NAME = 18
"""Letters of a name in the picture."""
MANY_LINKS = 64
_LEVEL_IN, _CIRCLE_IN, _LARGEST_CELL_IN = 0.85, 4.1, 1.1
_LEAST_CELL_IN = 0.5
"""The smallest cell of the grid whose fields have hatches and labels."""
_AROUND = 0.4
"""Length of the ends of a link that leads around an edge of the grid, in columns or rows."""
_MARGIN = 0.35
"""Free space around the circle, as a share of its radius."""
_LETTER_IN, _SMALL_LETTER_IN, _LINE_IN, _PADDING_IN, _SQUARE_IN = 0.075, 0.07, 0.16, 0.12, 0.06
_HEADROOM_IN = 0.5
"""Space above the network for labels where there are many links."""


@dataclass(frozen=True, kw_only=True)
class Geometry:
    """A panel of the picture; `within` is what it shows, in units of the layout, `scale` inches for each unit."""

    network: BlockNetwork
    layout: NetworkLayout
    within: Box
    scale: tuple[float, float]

    @property
    def height_in(self) -> float:
        """The height of the panel."""
        return (self.within.top - self.within.bottom) * self.scale[1]

    def inches(self, point: Point) -> Point:
        """The point in inches."""
        return point[0] * self.scale[0], point[1] * self.scale[1]

    def units(self, point: Point) -> Point:
        """The point, which is in inches, in units of the layout."""
        return point[0] / self.scale[0], point[1] / self.scale[1]

    @cached_property
    def within_in(self) -> Box:
        """What the panel shows, in inches."""
        return self._box_in([(self.within.left, self.within.bottom), (self.within.right, self.within.top)])

    @cached_property
    def links(self) -> tuple[Pair, ...]:
        """The links whose ends have positions."""
        positions = self.layout.positions
        return tuple((a, b) for a, b in self.network.links if a in positions and b in positions)

    def lines(self, link: Pair) -> tuple[tuple[Point, Point], ...]:
        """The line of a link, or both of its ends if it leads around an edge of the grid."""
        (ax, ay), (bx, by) = (self.layout.positions[key] for key in link)
        if link not in self.layout.around:
            return (((ax, ay), (bx, by)),)
        dx, dy = math.copysign(_AROUND, ax - bx) * (ax != bx), math.copysign(_AROUND, ay - by) * (ay != by)
        return ((ax, ay), (ax + dx, ay + dy)), ((bx, by), (bx - dx, by - dy))

    @cached_property
    def named_switches(self) -> Set[str]:
        """Switches whose names are drawn: those of a level, if all of them have room; otherwise all or none."""
        if self.layout.shape is Shape.circle:
            return self._name_boxes.keys() if are_disjoint(tuple(self._name_boxes.values())) else frozenset()
        rows: dict[float, dict[str, Box]] = {}
        for name, box in self._name_boxes.items():
            rows.setdefault(self.layout.positions[name][1], {})[name] = box
        fitting = [boxes.keys() for boxes in rows.values() if are_disjoint(tuple(boxes.values()))]
        if self.layout.shape is Shape.grid and len(fitting) < len(rows):
            return frozenset()
        return frozenset().union(*fitting)

    @property
    def has_large_fields(self) -> bool:
        """Whether the fields of hosts are large enough to tell hatches apart, and for numbers below them."""
        return self.layout.shape is not Shape.grid or self.scale[0] >= _LEAST_CELL_IN

    @cached_property
    def has_host_labels(self) -> bool:
        """Whether the names of all hosts, or their numbers, have room beside each other and the names of switches."""
        return self.has_large_fields and are_disjoint([*self._host_boxes, *self._switch_names])

    @cached_property
    def texts(self) -> tuple[Box, ...]:
        """The names of switches, and those of hosts or their numbers, as far as they are drawn: no two overlap."""
        return (*self._switch_names, *(self._host_boxes if self.has_host_labels else ()))

    @cached_property
    def marks(self) -> tuple[Box, ...]:
        """The fields of hosts, and the squares of switches without a name."""
        squares = [self.layout.positions[name] for name in self._name_boxes if name not in self.named_switches]
        return (
            *(self._field_box(block) for block in self._blocks),
            *(box_around(self.inches(at), width=_SQUARE_IN, height=_SQUARE_IN) for at in squares),
        )

    def field_label_at(self, block: HostBlock) -> Point:
        """The middle of the name of a host, or of the number of hosts: below the field, or outside of the circle."""
        x, y = self.layout.positions[block.key]
        if self.layout.shape is Shape.circle:
            scale = 1 + 0.25 / BLOCK_RADIUS
            return x * scale, y * scale
        middle = sum(self.layout.spans[block.key]) / 2
        if self.layout.shape is Shape.grid:
            return middle, y - GRID_FIELD_HEIGHT - 0.13
        return middle, -(BAR_HEIGHT if len(block.hosts) > 1 else FIELD_HEIGHT) - 0.16

    def label_places(self, labels: Labels) -> Mapping[Pair, Box]:
        """A place in inches for each label: it covers no text where there is such a place, and few lines and marks."""
        places: dict[Pair, Box] = {}
        for link, text in labels.items():
            begin, end = self.lines(link)[0]
            width, height = _label_size(text)
            places[link] = free_place(
                self.inches(((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2)), width=width, height=height,
                within=self.within_in, segments=self._segments, boxes=self.marks,
                labels=(*self.texts, *places.values()),
            )  # fmt: skip
        return places

    def has_room_for(self, labels: Labels) -> bool:
        """Whether the labels cover neither a text nor each other."""
        return are_disjoint([*self.texts, *self.label_places(labels).values()])

    @cached_property
    def _segments(self) -> Segments:
        """All links as lines in inches."""
        lines = [line for link in self.links for line in self.lines(link)]
        return np.array([(*self.inches(a), *self.inches(b)) for a, b in lines]).reshape(-1, 4)

    @cached_property
    def _blocks(self) -> tuple[HostBlock, ...]:
        return tuple(block for block in self.network.blocks if block.key in self.layout.spans)

    @cached_property
    def _name_boxes(self) -> Mapping[str, Box]:
        """The boxes that the names of all switches would have."""
        return {
            name: box_around(
                self.inches(self.layout.positions[name]), height=_LINE_IN,
                width=len(short(name, max_length=LARGEST_NAME)) * _LETTER_IN + _PADDING_IN,
            )
            for name in self.network.network.switches
            if name in self.layout.positions
        }  # fmt: skip

    @cached_property
    def _switch_names(self) -> tuple[Box, ...]:
        return tuple(box for name, box in self._name_boxes.items() if name in self.named_switches)

    @cached_property
    def _host_boxes(self) -> tuple[Box, ...]:
        """The boxes that the names of all hosts, or their numbers, would have."""
        return tuple(
            box_around(
                self.inches(self.field_label_at(block)), width=len(field_text(block)) * _SMALL_LETTER_IN,
                height=_LINE_IN,
            )
            for block in self._blocks
        )  # fmt: skip

    def _field_box(self, block: HostBlock) -> Box:
        first, last = self.layout.spans[block.key]
        y = self.layout.positions[block.key][1]
        match self.layout.shape:
            case Shape.circle:
                radii = BLOCK_RADIUS - FIELD_WIDTH / 2, BLOCK_RADIUS + FIELD_WIDTH / 2
                angles = [math.radians(degrees) for degrees in (first, (first + last) / 2, last)]
                return self._box_in([(r * math.cos(angle), r * math.sin(angle)) for r in radii for angle in angles])
            case Shape.grid:
                above = below = GRID_FIELD_HEIGHT
            case Shape.levels:
                above, below = FIELD_HEIGHT, BAR_HEIGHT if len(block.hosts) > 1 else FIELD_HEIGHT
        return self._box_in([(first, y - below), (last, y + above)])

    def _box_in(self, corners: Sequence[Point]) -> Box:
        """The smallest box around corners, which are in units of the layout."""
        return box_of([self.inches(corner) for corner in corners])


def geometry_of(
    network: BlockNetwork, layout: NetworkLayout, *, width_in: float, labels: Sequence[Labels] = ()
) -> Geometry:
    """The geometry of panels, each `width_in` wide; `labels` has those of each panel.

    Where they would cover a text, there is space for them above the network.
    """
    headroom_in = _HEADROOM_IN if len(network.links) > MANY_LINKS else 0.0
    geometry = _geometry(network, layout, width_in=width_in, headroom_in=headroom_in)
    crowded = [one for one in labels if not geometry.has_room_for(one)]
    if not crowded:
        return geometry
    # A label that is somewhere in this space leaves a whole line of it to each other one.
    lines_in = max((2 * len(one) - 1) * max(_label_size(text)[1] for text in one.values()) for one in crowded)
    return _geometry(network, layout, width_in=width_in, headroom_in=max(headroom_in, lines_in))


def _geometry(network: BlockNetwork, layout: NetworkLayout, *, width_in: float, headroom_in: float) -> Geometry:
    if layout.shape is Shape.circle:
        most = BLOCK_RADIUS + _MARGIN
        scale = (min(_CIRCLE_IN, width_in) / (2 * most),) * 2
        within = Box(left=-most, bottom=-most, right=most, top=most + headroom_in / scale[1])
    elif layout.shape is Shape.grid:
        scale = (min(_LARGEST_CELL_IN, width_in / (layout.width + 2 * _AROUND)),) * 2
        top = layout.height + _AROUND + headroom_in / scale[1]
        within = Box(left=-_AROUND, bottom=-_AROUND, right=layout.width + _AROUND, top=top)
    else:
        bottom = -0.75 if any(len(block.hosts) > 1 for block in network.blocks) else -0.45
        above = 0.3
        level_in = (0.55 + _LEVEL_IN * layout.height) / (layout.height + above - bottom)
        top = layout.height + above + headroom_in / level_in
        within = Box(left=-0.2, bottom=bottom, right=layout.width + 0.2, top=top)
        scale = (width_in / (within.right - within.left), level_in)
    return Geometry(network=network, layout=layout, within=within, scale=scale)


def field_text(block: HostBlock) -> str:
    """The name of a host, or the number of hosts."""
    return short(block.key, max_length=LARGEST_NAME) if len(block.hosts) == 1 else f"{len(block.hosts):,}"


def _label_size(text: str) -> tuple[float, float]:
    """Width and height in inches."""
    lines = text.splitlines()
    return max(map(len, lines)) * _LETTER_IN + _PADDING_IN, len(lines) * _LINE_IN + _PADDING_IN
