"""TeaLeaf, CloverLeaf and LULESH: meshes from the sizes of their halos (docs/motifs). Pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isqrt

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication

_DOUBLE = 8
_MESH = Mesh(options=("columns", "rows"), dimensions=2)
_CUBE_OF_RANK = Mesh(options=("elements",), dimensions=3, of_rank=True)
_ACROSS, _RIGHT = (1, 2), 2  # tags
_DOWN, _TOP = (3, 4), 4
_TEALEAF_MARGIN = 2  # cells by which a layer exceeds the block, on both sides together
_CLOVERLEAF_MARGIN = 5
_DEEPEST = 64
_CHECKED_ITERATIONS = 10  # chebyshev reduces in every tenth
_LULESH_FORCES = 1024
_FORCES = 3  # in x, y and z


@dataclass(frozen=True, slots=True, kw_only=True)
class _Blocks:
    """Cells of the mesh across and down, ranks in both directions, and the own cells of rank 0.

    Where no message shows the cells of a direction, they are `assumed` to be as many as those of the other.
    """

    columns: int
    rows: int
    grid: str
    own_columns: int | None
    own_rows: int | None
    assumed: tuple[str, ...]


def tealeaf(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `tealeaf`: in all solvers, the shortest message is a layer of one field."""
    blocks = _blocks(communication, margin=_TEALEAF_MARGIN)
    if blocks is None:
        return
    solvers: list[dict[str, object]] = [{"solver": "cg"}, {"solver": "jacobi"}]
    solvers += [  # all ten iterations, or one of those without reduction
        {"solver": "chebyshev", "solver-iterations": iterations} for iterations in (_CHECKED_ITERATIONS, 1)
    ]
    solvers += [{"solver": "ppcg", "depth": depth} for depth in _depths_of_two_fields(communication, blocks)]
    for solver in solvers:
        yield candidate("tealeaf", _MESH, solver, columns=blocks.columns, rows=blocks.rows, assumed=blocks.assumed)


def cloverleaf(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `cloverleaf`: the shortest message is a layer of one field."""
    blocks = _blocks(communication, margin=_CLOVERLEAF_MARGIN)
    if blocks is None:
        return
    for grid in (None, blocks.grid):
        yield candidate(
            "cloverleaf", _MESH, columns=blocks.columns, rows=blocks.rows, grid=grid, assumed=blocks.assumed
        )  # fmt: skip


def lulesh(communication: Communication) -> Iterator[Candidate]:
    """The candidate of `lulesh`: the largest message with forces is a face, 3 (n + 1)^2 numbers for n elements."""
    sizes = [message.bytes for sent in communication.sent for message in sent if message.tag == _LULESH_FORCES]
    nodes = isqrt(max(sizes, default=0) // (_FORCES * _DOUBLE))
    if nodes > 1:
        yield candidate("lulesh", _CUBE_OF_RANK, elements=nodes - 1)


def _blocks(communication: Communication, *, margin: int) -> _Blocks | None:
    """Blocks with halos of TeaLeaf's tags: 1 to the left, 2 to the right, 3 down, 4 up. None for other messages."""
    ranks = communication.ranks
    right, top = communication.distance(_RIGHT), communication.distance(_TOP)
    if (right is None and top is None) or min(one for one in (right, top) if one is not None) < 1:
        return None
    if right is None or top is None:
        ranks_across, ranks_down = (1, ranks) if right is None else (ranks, 1)
    elif top == 1:  # ranks of a column follow one another
        ranks_across, ranks_down = ranks // right, right
    else:
        ranks_across, ranks_down = top, ranks // top
    if ranks_across * ranks_down != ranks:
        return None
    rows = _cells(communication, _ACROSS, stride=top or 1, blocks=ranks_down, margin=margin)
    columns = _cells(communication, _DOWN, stride=right or 1, blocks=ranks_across, margin=margin)
    across, down = sum(columns or ()), sum(rows or ())
    if not across and not down:
        return None
    assumed: tuple[str, ...] = ()
    if not across:
        assumed = ("columns: as many as rows, since no rank has a neighbour above or below",)
    elif not down:
        assumed = ("rows: as many as columns, since no rank has a neighbour beside it",)
    return _Blocks(
        columns=across or down, rows=down or across, grid=f"{ranks_across}x{ranks_down}",
        own_columns=columns[0] if columns else None, own_rows=rows[0] if rows else None, assumed=assumed,
    )  # fmt: skip


def _cells(
    communication: Communication, tags: tuple[int, int], *, stride: int, blocks: int, margin: int
) -> list[int] | None:
    """Cells of the blocks of ranks 0, `stride`, 2 `stride`, ... along the layers that they send with these tags."""
    cells: list[int] = []
    for rank in range(0, stride * blocks, stride):
        size = communication.least_bytes(rank, lambda message: message.tag in tags)
        if size is None or size % _DOUBLE or size // _DOUBLE <= margin:
            return None
        cells.append(size // _DOUBLE - margin)
    return cells


def _depths_of_two_fields(communication: Communication, blocks: _Blocks) -> Iterator[int]:
    """Depths of halos of two fields that rank 0 sends."""
    for tags, cells in ((_ACROSS, blocks.own_rows), (_DOWN, blocks.own_columns)):
        if cells is not None:
            sizes = {message.bytes for message in communication.sent[0] if message.tag in tags}
            for depth in range(1, _DEEPEST + 1):
                if 2 * _DOUBLE * depth * (cells + 2 * depth) in sizes:
                    yield depth
            return
