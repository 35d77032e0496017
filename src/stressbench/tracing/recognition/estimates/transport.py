"""UMT: zones, angles, groups and iterations from persistent messages and their order (docs/motifs/umt.md). Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isqrt

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication
from stressbench.tracing.recognition.estimates.numbers import divisors

_DOUBLE = 8
_ZONES_OF_RANK = Mesh(options=("zones",), dimensions=3, of_rank=True)
_CORNERS = 4  # of a face of a zone
_EXITS = 400  # tag
_FLUXES = 700  # tag, plus that of the octant
_OCTANTS = frozenset(range(1, 9))
_UPWARDS = {frozenset({1, 4, 5, 8}): 0, frozenset({1, 2, 5, 6}): 1, frozenset({1, 2, 3, 4}): 2}
"""Octants that leave through the far face in x, y and z, and the axis."""
_MOST_POLAR, _MOST_AZIMUTHAL = 18, 22
_MOST_STEPS = 8
_START = re.compile(r"Start\([<>]\d+:(\d+):")
_FLUX_ITERATION = "Allreduce[MAX]:64@"
_FREE = "Request_free"

_FluxIterations = tuple[frozenset[int], ...]  # octants that each of them sweeps
_TimeStep = tuple[_FluxIterations, ...]  # of each temperature iteration


@dataclass(frozen=True, slots=True, kw_only=True)
class _Face:
    """A face of rank 0: the neighbour, corners, angles of an octant, and energy groups."""

    neighbour: int
    corners: int
    angles: int
    groups: int


def umt(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `umt`: time steps with the iterations and octants that the program has, the most frequent first."""
    faces = _faces(communication)
    if not faces:
        return
    of_all = next(iter(faces.values()))
    quadrature = next(_quadratures(of_all.angles), None)
    zones = _zones({axis: face.corners // _CORNERS for axis, face in faces.items()})
    grid = _grid({axis: face.neighbour for axis, face in faces.items()}, communication.ranks)
    if quadrature is None or zones is None or grid is None:
        return
    polar, azimuthal = quadrature
    assumed = [f"polar, azimuthal: {polar} times {azimuthal}, one of the quadratures with so many angles"]
    if len(faces) < len(zones):
        assumed.append("zones: the most even box with these faces, since no rank has neighbours in all directions")
    steps = Counter(_time_steps(communication.tokens()))
    for (step, _), layout in product(steps.most_common(_MOST_STEPS), (None, grid)):
        yield candidate(
            "umt", _ZONES_OF_RANK, zones="x".join(map(str, zones)), groups=of_all.groups, polar=polar,
            azimuthal=azimuthal, temperature_iterations=len(step), sweeps=_sweeps(step), grid=layout,
            assumed=tuple(assumed), any_number=True,
        )  # fmt: skip


def _faces(communication: Communication) -> Mapping[int, _Face]:
    """By axis; none for other messages than those of UMT. Rank 0 is in a corner of the grid."""
    fluxes = [message for message in communication.persistent if message.tag - _FLUXES in _OCTANTS]
    neighbours = {message.to for message in fluxes}
    faces: dict[int, _Face] = {}
    for to in neighbours:
        axis = _UPWARDS.get(frozenset(message.tag - _FLUXES for message in fluxes if message.to == to))
        face = _face(
            to, fluxes=max(message.bytes for message in fluxes if message.to == to),
            exits=[message.bytes for message in communication.sent[0] if message.tag == _EXITS and message.to == to],
        )  # fmt: skip
        if axis is not None and face is not None:
            faces[axis] = face
    alike = len({(face.angles, face.groups) for face in faces.values()}) == 1
    return faces if alike and len(faces) == len(neighbours) else {}


def _face(to: int, *, fluxes: int, exits: Sequence[int]) -> _Face | None:
    """Exits are two numbers for each corner: for one of the angles, and for all of them."""
    corners = min(exits, default=0) // (2 * _DOUBLE)
    if corners < _CORNERS:
        return None
    angles = max(exits) // min(exits)
    return _Face(neighbour=to, corners=corners, angles=angles, groups=fluxes // (_DOUBLE * corners * angles))


def _grid(neighbours: Mapping[int, int], ranks: int) -> str | None:
    """Ranks in x, y and z, of which z varies fastest; None if the neighbours are not those of a grid."""
    x, y, z = (neighbours.get(axis) for axis in range(3))
    in_z = 1 if z is None else y or x or ranks
    in_y = 1 if y is None else (x or ranks) // in_z
    in_x = ranks // (in_y * in_z)
    strides = {axis: one for axis, one, side in ((0, in_y * in_z, in_x), (1, in_z, in_y), (2, 1, in_z)) if side > 1}
    return f"{in_x}x{in_y}x{in_z}" if in_x * in_y * in_z == ranks and strides == neighbours else None


def _quadratures(angles: int) -> Iterator[tuple[int, int]]:
    """Polar and azimuthal angles, the most even ones first; of these, those with more polar angles."""
    pairs = ((angles // azimuthal, azimuthal) for azimuthal in divisors(angles))
    fitting = [pair for pair in pairs if pair[0] <= _MOST_POLAR and pair[1] <= _MOST_AZIMUTHAL]
    return iter(sorted(fitting, key=max))


def _zones(areas: Mapping[int, int]) -> tuple[int, int, int] | None:
    """The most even box with these faces in zones, by axis across to them; None if there is none."""
    boxes = [
        box
        for box in _boxes(areas)
        if min(box) > 0 and all(box[axis - 2] * box[axis - 1] == area for axis, area in areas.items())
    ]
    return min(boxes, key=lambda box: max(box) / min(box), default=None)


def _boxes(areas: Mapping[int, int]) -> Iterator[tuple[int, int, int]]:
    """Boxes that may have these faces: the sides of the first face are those along the two axes after its own."""
    first, *others = sorted(areas)
    for side in divisors(areas[first]):
        box = {(first + 1) % 3: side, (first + 2) % 3: areas[first] // side}
        box[first] = areas[others[0]] // box[3 - first - others[0]] if others else isqrt(areas[first])
        yield box[0], box[1], box[2]


def _time_steps(tokens: Iterable[str]) -> Iterator[_TimeStep]:
    """The iterations of each time step of a rank, which ends when its persistent messages are released."""
    octants: set[int] = set()
    sweeps: list[frozenset[int]] = []
    step: list[_FluxIterations] = []
    for token in tokens:
        if started := _START.match(token):
            octants.add(int(started[1]) - _FLUXES)
        elif token.startswith(_FLUX_ITERATION):
            sweeps.append(frozenset(octants))
            octants.clear()
        elif token.startswith("Allreduce") and sweeps:
            step.append(tuple(sweeps))
            sweeps.clear()
        elif token == _FREE and step:
            yield tuple(step)
            step.clear()


def _sweeps(step: Sequence[_FluxIterations]) -> str:
    """The value of --sweeps, of which the last temperature iteration is repeated."""
    texts = [
        ",".join("all" if octants == _OCTANTS else "".join(map(str, sorted(octants))) for octants in sweeps)
        for sweeps in step
    ]
    while len(texts) > 1 and texts[-1] == texts[-2]:
        texts.pop()
    return "/".join(texts)
