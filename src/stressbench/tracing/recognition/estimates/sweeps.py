"""Sweep3D: mesh and blocks from the sizes and the number of messages in a sweep (docs/motifs/sweep3d.md). Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication
from stressbench.tracing.recognition.estimates.numbers import divisors

_DOUBLE = 8
_MESH = Mesh(options=("it-g", "jt-g"), dimensions=2)  # the depth is not divided among ranks
_ANGLES = (6, 3)  # in an octant
_MOST = 3
_USUAL_PLANES = 10
_OCTANT = 1000
_OCTANTS = {1: (5, 6, 7, 8), 3: (1, 2, 3, 4), 2: (3, 4, 7, 8), 4: (1, 2, 5, 6)}
"""Octants whose messages go east, west, north and south, by the multiple of 1000 in their tags."""
_SWEEPS = frozenset(_OCTANT * factor * octant for factor, octants in _OCTANTS.items() for octant in octants)
_TO_NORTH = 14 * _OCTANT
_OTHER_REDUCTIONS = 3
_INT = 4


def sweep3d(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `sweep3d`.

    Messages show planes times angles of a block and the number of blocks only, not each by itself: of the meshes that
    they permit, cubes with the usual 10 planes in a block come first.
    """
    ranks = communication.ranks
    across = _across(communication)
    if across is None:
        return
    rows = [_bytes(communication, rank, 1) for rank in range(0, ranks, across)] if across > 1 else []
    columns = [_bytes(communication, rank, across) for rank in range(across)] if across < ranks else []
    if 0 in rows or 0 in columns:
        return
    meshes = {
        mesh: None for blocks in _blocks_of_octant(communication) for mesh in _meshes(rows, columns, blocks=blocks)
    }
    likely = sorted(meshes, key=lambda mesh: mesh.oddity)[:_MOST]
    for mesh, grid in product(likely, (None, f"{across}x{ranks // across}")):
        yield candidate(
            "sweep3d", _MESH, it_g=mesh.columns, jt_g=mesh.rows, kt=mesh.layers, mk=mesh.planes, mmi=mesh.angles,
            mm=mesh.all_angles, grid=grid,
            assumed=("kt, mk, mmi: one of the combinations that give these messages",),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mesh:
    """Cells of the mesh, and planes and angles of a message."""

    columns: int
    rows: int
    layers: int
    planes: int
    angles: int
    all_angles: int

    @property
    def oddity(self) -> tuple[int, ...]:
        """How unusual it is, for sorting."""
        return (
            len({self.columns, self.rows, self.layers}), self.planes != _USUAL_PLANES, self.all_angles != _ANGLES[0],
            abs(self.planes - _USUAL_PLANES),
        )  # fmt: skip


def _meshes(rows: Sequence[int], columns: Sequence[int], *, blocks: int) -> Iterator[_Mesh]:
    """Meshes with these messages of the ranks of a column and of a row, and so many of them in an octant."""
    for all_angles in _ANGLES:
        for angles in divisors(all_angles):
            unit = _DOUBLE * angles
            blocks_of_planes, rest = divmod(blocks * angles, all_angles)
            if rest or any(size % unit for size in (*rows, *columns)):
                continue
            for planes in divisors(gcd(*rows, *columns) // unit):
                y, x = sum(rows) // (unit * planes), sum(columns) // (unit * planes)
                yield _Mesh(
                    columns=x or y, rows=y or x, layers=blocks_of_planes * planes, planes=planes, angles=angles,
                    all_angles=all_angles,
                )  # fmt: skip


def _across(communication: Communication) -> int | None:
    """Ranks from west to east; None without messages of sweeps.

    In octant q, tags are 1000 q to the east, 3000 q to the west, 2000 q to the north and 4000 q to the south. Odd
    thousands are to the east or west, and 14,000 to the north only.
    """
    if not communication.tags & _SWEEPS:
        return None
    north = communication.distance(_TO_NORTH)
    if not any(tag % (2 * _OCTANT) for tag in communication.tags & _SWEEPS):
        return 1
    return communication.ranks if north is None else north


def _bytes(communication: Communication, rank: int, distance: int) -> int:
    """Bytes of the messages to the ranks at this distance on either side; 0 if there are none, or several sizes."""
    sizes = {
        message.bytes
        for message in communication.sent[rank]
        if abs(message.to - rank) == distance and message.tag in _SWEEPS
    }
    return sizes.pop() if len(sizes) == 1 else 0


def _blocks_of_octant(communication: Communication) -> set[int]:
    """How many messages rank 0 may send to a neighbour in an octant; a few reductions may not be of iterations."""
    sent = [times for message, times in communication.sent[0].items() if message.tag in _SWEEPS]
    reductions = communication.calls("Allreduce", size=_INT)
    return {
        min(sent) // iterations
        for iterations in range(max(1, reductions - _OTHER_REDUCTIONS), reductions + 1)
        if sent and min(sent) % iterations == 0
    }
