"""Positions of a lab's nodes in its drawing. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from stressbench.labs.routing import cycle
from stressbench.labs.topology import Lab, Node

Point = tuple[float, float]
_STEP = 86.0
_LEVEL = 130.0
_MARGIN = 60.0


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Centres of nodes and size of the drawing, in pixels."""

    positions: Mapping[str, Point]
    width: float
    height: float


def layout(lab: Lab) -> Layout:
    """Grid layout for a torus, circular layout of switches for other labs with cycles, tree layout for all others."""
    if lab.shape == "torus":
        return _with_margins(_grid(lab))
    return _with_margins(_circle(lab) if cycle(lab) else _tree(lab))


def _with_margins(positions: Mapping[str, Point]) -> Layout:
    left, top = min(x for x, _ in positions.values()), min(y for _, y in positions.values())
    shifted = {name: (x - left + _MARGIN, y - top + _MARGIN) for name, (x, y) in positions.items()}
    width, height = max(x for x, _ in shifted.values()), max(y for _, y in shifted.values())
    return Layout(positions=shifted, width=width + _MARGIN, height=height + _MARGIN)


def _neighbours(lab: Lab, node: str) -> list[str]:
    return [link.opposite_end(node).node for link in lab.links_of(node)]


def _levels(lab: Lab) -> Mapping[str, int]:
    """Levels of a tree: 0 for stations, 1 for their switches, and so on upwards."""
    levels = {node.name: 0 for node in lab.stations}
    frontier = set(levels)
    level = 0
    while frontier:
        level += 1
        frontier = {neighbour for node in frontier for neighbour in _neighbours(lab, node) if neighbour not in levels}
        levels |= dict.fromkeys(frontier, level)
    return levels


def _tree(lab: Lab) -> Mapping[str, Point]:
    levels = _levels(lab)
    order: dict[str, float] = {}
    for level in range(max(levels.values()) + 1):
        nodes = [node for node in lab.nodes if levels[node.name] == level]
        _place_level(lab, nodes, order, levels)
    top = max(levels.values())
    return {name: (order[name] * _STEP, (top - levels[name]) * _LEVEL) for name in order}


def _place_level(lab: Lab, nodes: list[Node], order: dict[str, float], levels: Mapping[str, int]) -> None:
    """Place stations side by side in order, and switches above the middle of their children without overlap."""
    last = -1.0
    for node in nodes:
        children = [order[name] for name in _neighbours(lab, node.name) if levels[name] < levels[node.name]]
        target = sum(children) / len(children) if children else last + 1
        order[node.name] = last = max(target, last + 1) if last >= 0 else max(target, 0.0)


def _circle(lab: Lab) -> Mapping[str, Point]:
    count = len(lab.switches)
    radius = max(_STEP, count * _STEP * 1.4 / (2 * math.pi))
    positions: dict[str, Point] = {}
    for number, switch in enumerate(lab.switches):
        angle = 2 * math.pi * number / count - math.pi / 2
        positions[switch.name] = (radius * math.cos(angle), radius * math.sin(angle))
        positions |= _fan(
            lab, switch.name, angle, centre=(0.0, 0.0), radius=radius + _STEP * 1.2, spread=1.6 * math.pi / count
        )
    return positions


def _fan(lab: Lab, switch: str, angle: float, *, centre: Point, radius: float, spread: float) -> Mapping[str, Point]:
    """Positions of a switch's stations on an arc around `angle` (radians)."""
    stations = [name for name in _neighbours(lab, switch) if not lab.node(name).is_switch]
    positions = {}
    for number, station in enumerate(stations):
        station_angle = angle + (number - (len(stations) - 1) / 2) * spread / max(1, len(stations))
        positions[station] = (
            centre[0] + radius * math.cos(station_angle),
            centre[1] + radius * math.sin(station_angle),
        )
    return positions


def _grid(lab: Lab) -> Mapping[str, Point]:
    """Grid positions: switch `x2y1` is in column 2 and row 1, its hosts below and to the right of it."""
    positions: dict[str, Point] = {}
    for switch in lab.switches:
        column, _, row = switch.name.partition(".")[0].removeprefix("x").partition("y")
        rail = int(switch.name.partition(".")[2] or 0)
        centre = (int(column) * _STEP * 1.9 + rail * _STEP / 2, int(row) * _STEP * 1.9 + rail * _STEP / 2)
        positions[switch.name] = centre
        fan = _fan(lab, switch.name, math.pi / 4, centre=centre, radius=_STEP * 0.75, spread=math.pi / 2)
        positions |= {name: place for name, place in fan.items() if name not in positions}
    return positions
