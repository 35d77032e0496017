"""Positions of a network's blocks and switches: by levels where it has levels, on a grid, or on a circle. Pure."""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from typing import TypeAlias

from stressbench.report.network.blocks import BlockNetwork
from stressbench.report.network.torus import Torus, torus_of

Point: TypeAlias = tuple[float, float]
_GAP, _BAR_GAP = 0.5, 0.1
"""Free slots between the hosts of two switches: one by one, and as blocks."""
RADIUS, BLOCK_RADIUS = 1.0, 1.3
"""Distances from the centre of the circle: of switches and of blocks."""
_GROUP_GAP = 0.8
"""Free places on the circle between two groups."""
_SWITCH_AT = (0.3, 0.7)
_BLOCKS_FROM, _BLOCKS_WIDTH, _BLOCKS_BELOW = 0.12, 0.46, 0.38
"""On the grid, in columns and rows: a switch in its cell, and its blocks from the switch."""


class Shape(Enum):
    """How nodes are arranged."""

    levels = "levels"
    grid = "grid"
    circle = "circle"


@dataclass(frozen=True, kw_only=True)
class NetworkLayout:
    """Centres of blocks and switches by key, and the extent of each block: along x, or in degrees on the circle.

    By levels, x counts slots from 0 to `width` and y levels from 0 (hosts) to `height`. On a grid, x counts columns
    from 0 to `width` and y rows from 0 (the last) to `height`; `around` has the links that lead around an edge of it.
    On a circle, the centre is (0, 0). `groups` has the first and the last angle (degrees) of each group of switches.
    """

    shape: Shape
    positions: Mapping[str, Point]
    spans: Mapping[str, tuple[float, float]]
    width: float
    height: float
    groups: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    around: Set[tuple[str, str]] = frozenset()


def layout_of(network: BlockNetwork) -> NetworkLayout:
    """By levels for trees and fat trees without groups, on a grid for a torus, otherwise on a circle."""
    if not network.network.groups:
        levels = levels_of_tree(network) if is_acyclic(network) else _levels_from_hosts(network)
        if levels is not None:
            return _by_levels(network, levels)
        torus = torus_of(network)
        if torus is not None and all(len(block.switches) == 1 for block in network.blocks):
            return _on_grid(network, torus)
    return _on_circle(network)


def is_acyclic(network: BlockNetwork) -> bool:
    """Whether there is only one path between any two nodes; parallel links count as one."""
    seen: set[str] = set()
    components = 0
    for start in network.neighbours:
        if start in seen:
            continue
        components += 1
        frontier = [start]
        while frontier:
            node = frontier.pop()
            if node not in seen:
                seen.add(node)
                frontier += network.neighbours[node]
    return len(network.links) == len(network.neighbours) - components


def levels_of_tree(network: BlockNetwork) -> Mapping[str, int]:
    """Level 0 for blocks; then in turn those switches that have at most one neighbour of no level yet."""
    levels = dict.fromkeys(network.block_keys, 0)
    left = {key: set(network.neighbours[key]) - levels.keys() for key in network.network.switches}
    level = 0
    while left:
        level += 1
        outer = [key for key, others in left.items() if len(others & left.keys()) <= 1]
        levels |= dict.fromkeys(outer, level)
        left = {key: others - set(outer) for key, others in left.items() if key not in levels}
    return levels


def _levels_from_hosts(network: BlockNetwork) -> Mapping[str, int] | None:
    """Distances from the nearest host; None if two linked switches are not on neighbouring levels.

    A switch that has I/O nodes only and one link is below the switch that it is linked to.
    """
    levels = {block.key: 0 for block in network.blocks if not block.is_storage}
    frontier, level = list(levels), 0
    switches = set(network.network.switches)
    while frontier:
        level += 1
        frontier = list(
            dict.fromkeys(
                other
                for node in frontier
                for other in network.neighbours[node]
                if other in switches and other not in levels
            )
        )
        levels |= dict.fromkeys(frontier, level)
    storage = {block.key for block in network.blocks if block.is_storage}
    for switch in network.network.switches:
        others = set(network.neighbours[switch])
        if others & storage and len(others - storage) == 1:
            levels[switch] = max(1, levels.get((others - storage).pop(), 2) - 1)
    levels |= dict.fromkeys(storage, 0)
    if levels.keys() != network.neighbours.keys():
        return None
    linked = ((a, b) for a, b in network.links if a in switches and b in switches)
    return levels if all(abs(levels[a] - levels[b]) == 1 for a, b in linked) else None


def _by_levels(network: BlockNetwork, levels: Mapping[str, int]) -> NetworkLayout:
    x, width = _slots(network, levels)
    top = max(levels.values())
    for level in range(1, top + 1):
        switches = [key for key in network.network.switches if levels[key] == level]
        targets = [_mean([x[o] for o in network.neighbours[k] if levels[o] < level], x.get(k)) for k in switches]
        x |= dict(zip(switches, _spread(targets, width), strict=True))
    spans = {key: (x[key] - 0.4, x[key] + 0.4) for key in network.block_keys}
    return NetworkLayout(
        shape=Shape.levels, positions={key: (x[key], float(levels[key])) for key in levels}, spans=spans,
        width=width, height=float(top),
    )  # fmt: skip


def _slots(network: BlockNetwork, levels: Mapping[str, int]) -> tuple[dict[str, float], float]:
    """x of blocks, and of switches without anything below them, side by side in the order of a walk from the top."""
    x: dict[str, float] = {}
    position = 0.0
    gap = _BAR_GAP if any(len(block.hosts) > 1 for block in network.blocks) else _GAP
    seen: set[str] = set()
    stack = sorted(levels, key=lambda key: levels[key])  # the highest are taken first
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        below = [other for other in network.neighbours[node] if levels[other] < levels[node] and other not in seen]
        own = [other for other in below if levels[other] == 0]
        for block in own:
            seen.add(block)
            x[block] = position + 0.5
            position += 1.0
        has_any = any(levels[other] < levels[node] for other in network.neighbours[node])
        if node not in x and not has_any:
            x[node] = position + 0.5
            position += 1.0
        position += gap if own or not has_any else 0.0
        stack += [other for other in reversed(below) if levels[other] > 0]
    return x, max(1.0, position - gap)


def _mean(values: Sequence[float], otherwise: float | None) -> float:
    return sum(values) / len(values) if values else otherwise or 0.0


def _spread(targets: Sequence[float], width: float) -> list[float]:
    """The targets, or places that are evenly spread over the width in the same order if two are closer than a slot."""
    order = sorted(range(len(targets)), key=lambda index: (targets[index], index))
    ordered = [targets[index] for index in order]
    if all(after - before >= 1 for before, after in pairwise(ordered)):
        return list(targets)
    places = [0.0] * len(targets)
    for number, index in enumerate(order):
        places[index] = (number + 0.5) * width / len(targets)
    return places


def _on_grid(network: BlockNetwork, torus: Torus) -> NetworkLayout:
    """Switches at the corners of the grid; the blocks of a switch side by side, below it on the right."""
    positions: dict[str, Point] = {
        name: (column + _SWITCH_AT[0], torus.rows - 1 - row + _SWITCH_AT[1])
        for name, (column, row) in torus.places.items()
    }
    spans: dict[str, tuple[float, float]] = {}
    blocks_of: dict[str, list[str]] = {}
    for block in network.blocks:
        blocks_of.setdefault(block.switches[0], []).append(block.key)
    for switch, keys in blocks_of.items():
        x, y = positions[switch]
        left, part = x + _BLOCKS_FROM, _BLOCKS_WIDTH / len(keys)
        for number, key in enumerate(keys):
            spans[key] = (left + part * (number + 0.05), left + part * (number + 0.95))
            positions[key] = (left + part * (number + 0.5), y - _BLOCKS_BELOW)
    switches = set(torus.places)
    around = frozenset((a, b) for a, b in network.links if {a, b} <= switches and torus.leads_around(a, b))
    return NetworkLayout(
        shape=Shape.grid, positions=positions, spans=spans, width=float(torus.columns), height=float(torus.rows),
        around=around,
    )  # fmt: skip


def _on_circle(network: BlockNetwork) -> NetworkLayout:
    groups = network.network.groups
    order = _by_group(network.network.switches, groups)
    step = 360 / max(1.0, sum(1 + (_GROUP_GAP if _ends_group(order, i, groups) else 0) for i in range(len(order))))
    angle = 90.0
    positions: dict[str, Point] = {}
    spans: dict[str, tuple[float, float]] = {}
    extents: dict[str, tuple[float, float]] = {}
    blocks_of: dict[str, list[str]] = {}
    for block in network.blocks:
        blocks_of.setdefault(block.switches[0] if block.switches else "", []).append(block.key)
    for index, switch in enumerate(order):
        positions[switch] = _point(angle, RADIUS)
        for key, (first, last) in _shares(blocks_of.get(switch, []), angle, step).items():
            spans[key] = (first, last)
            positions[key] = _point((first + last) / 2, BLOCK_RADIUS)
        if switch in groups:
            first, last = extents.get(groups[switch], (angle, angle))
            extents[groups[switch]] = (min(first, angle - step / 2), max(last, angle + step / 2))
        angle -= step * (1 + (_GROUP_GAP if _ends_group(order, index, groups) else 0))
    return NetworkLayout(
        shape=Shape.circle, positions=positions, spans=spans, width=2 * BLOCK_RADIUS, height=2 * BLOCK_RADIUS,
        groups=extents,
    )  # fmt: skip


def _by_group(switches: Iterable[str], groups: Mapping[str, str]) -> list[str]:
    """Switches of a group one after the other, groups in the order of their first switch, the others last."""
    names = list(dict.fromkeys(groups[switch] for switch in switches if switch in groups))
    number = {name: index for index, name in enumerate(names)}
    return sorted(switches, key=lambda switch: number[groups[switch]] if switch in groups else len(names))


def _ends_group(order: Sequence[str], index: int, groups: Mapping[str, str]) -> bool:
    if not groups:
        return False
    return groups.get(order[index]) != groups.get(order[(index + 1) % len(order)])


def _shares(blocks: Sequence[str], angle: float, step: float) -> dict[str, tuple[float, float]]:
    """The extent in degrees of each block of a switch at `angle`; the first is ahead, as angles decrease clockwise."""
    part = 0.86 * step / max(1, len(blocks))
    first = angle + part * len(blocks) / 2
    return {key: (first - part * (number + 0.92), first - part * (number + 0.08)) for number, key in enumerate(blocks)}


def _point(degrees: float, radius: float) -> Point:
    return radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees))
