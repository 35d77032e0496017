"""Recognition of a torus of two dimensions from the links between its switches, whatever their names. Pure."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from stressbench.report.network.blocks import BlockNetwork

GridPosition: TypeAlias = tuple[int, int]
_LEAST_COLUMNS = 3
_MAX_DEGREE = 4


@dataclass(frozen=True, kw_only=True)
class Torus:
    """Column and row of each switch, from 0; the first switch is at (0, 0)."""

    places: Mapping[str, GridPosition]
    columns: int
    rows: int

    def leads_around(self, a: str, b: str) -> bool:
        """Whether the link between two neighbouring switches leads around an edge of the grid."""
        (ax, ay), (bx, by) = self.places[a], self.places[b]
        return abs(ax - bx) > 1 or abs(ay - by) > 1


@dataclass(frozen=True, kw_only=True)
class _Cross:
    """The neighbours of a switch by direction; `up` and `down` are the same in a torus of two rows."""

    right: str
    left: str
    up: str
    down: str


def torus_of(network: BlockNetwork) -> Torus | None:
    """The torus that the switches form, with at least 3 columns and 2 rows; None for other networks."""
    switches = network.network.switches
    known = set(switches)
    linked = {name: [other for other in network.neighbours[name] if other in known] for name in switches}
    degrees = {len(set(others)) for others in linked.values()}
    if not switches or degrees not in ({_MAX_DEGREE}, {_MAX_DEGREE - 1}):
        return None
    for cross in _crosses(linked[switches[0]]):
        places = _places(linked, switches[0], cross)
        if places is not None:
            return places
    return None


def _crosses(neighbours: Sequence[str]) -> list[_Cross]:
    """The ways to give directions to the neighbours of the first switch: the first is on its right where it can be."""
    right, *others = neighbours
    if len(others) == _MAX_DEGREE - 1:
        pairs = ((left, [other for other in others if other != left]) for left in others)
        return [_Cross(right=right, left=left, up=rest[1], down=rest[0]) for left, rest in pairs]
    a, b = others
    return [
        _Cross(right=right, left=a, up=b, down=b),
        _Cross(right=right, left=b, up=a, down=a),
        _Cross(right=a, left=b, up=right, down=right),
    ]


def _places(linked: Mapping[str, Sequence[str]], first: str, cross: _Cross) -> Torus | None:
    """Walk along the first row, then down from each of its switches; None unless all links are those of a torus."""
    row = _walk(linked, first, cross)
    if row is None or len(row) < _LEAST_COLUMNS:
        return None
    columns = []
    for name, at in row:
        turned = _Cross(right=at.down, left=at.up, up=at.right, down=at.left)
        column = _walk(linked, name, turned)
        if column is None:
            return None
        columns.append([one for one, _ in column])
    rows = len(columns[0])
    places = {name: (x, y) for x, column in enumerate(columns) for y, name in enumerate(column)}
    if len(places) != len(linked) or any(len(column) != rows for column in columns):
        return None
    torus = Torus(places=places, columns=len(columns), rows=rows)
    return torus if all(_expected(torus, columns, name) == set(others) for name, others in linked.items()) else None


def _walk(linked: Mapping[str, Sequence[str]], first: str, cross: _Cross) -> list[tuple[str, _Cross]] | None:
    """The switches to the right of the first one until it comes again, with their neighbours by direction."""
    found = [(first, cross)]
    seen = {first}
    while cross.right != first:
        left, name = found[-1][0], cross.right
        if name in seen:
            return None
        up, down = _common(linked, name, cross.up, left), _common(linked, name, cross.down, left)
        ahead = set(linked[name]) - {left, up, down}
        if up is None or down is None or len(ahead) > 1:
            return None
        cross = _Cross(right=ahead.pop() if ahead else left, left=left, up=up, down=down)
        seen.add(name)
        found.append((name, cross))
    return found


def _common(linked: Mapping[str, Sequence[str]], a: str, b: str, known: str) -> str | None:
    """The neighbour that two switches share besides `known`: the fourth corner of a square."""
    corners = (set(linked[a]) & set(linked[b])) - {known}
    return corners.pop() if len(corners) == 1 else None


def _expected(torus: Torus, columns: Sequence[Sequence[str]], name: str) -> Set[str]:
    x, y = torus.places[name]
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1))
    return {columns[(x + dx) % torus.columns][(y + dy) % torus.rows] for dx, dy in steps}
