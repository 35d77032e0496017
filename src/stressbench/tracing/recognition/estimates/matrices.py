"""PTRANS of the HPC Challenge: matrix, grid and order of the ranks from who exchanges parts (docs/motifs/ptrans.md).
Pure."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import gcd, isqrt, lcm

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication
from stressbench.tracing.recognition.estimates.numbers import divisors

_DOUBLE = 8
_TAG = 0
_MATRIX = Mesh(options=("matrix",), dimensions=2)
_ASSUMED = "block: 1; with longer blocks, the program's messages may be longer on other ranks, by less than a block"


def ptrans(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `ptrans`: every rank sends a part of one size to all that have the same parts on the grid."""
    ranks = communication.ranks
    sizes = sorted({message.bytes for sent in communication.sent for message in sent if message.tag == _TAG})
    sides = [(size, side) for size in sizes if (side := _side(size))]
    most_even = max(rows for rows in divisors(ranks) if rows * rows <= ranks)
    for order, rows, (size, side) in product(communication.orders, divisors(ranks), sides):
        if _exchanges(communication, order, rows=rows, size=size):
            yield candidate(
                "ptrans", _MATRIX, matrix=side * lcm(rows, ranks // rows), block=1,
                grid=None if rows == most_even else f"{rows}x{ranks // rows}",
                positions=None if order == tuple(range(ranks)) else ",".join(map(str, order)),
                assumed=(_ASSUMED,), is_particular=True,
            )  # fmt: skip


def _side(size: int) -> int:
    """Elements on a side of a square part of so many bytes; 0 if it is none."""
    side = isqrt(size // _DOUBLE)
    return side if side * side * _DOUBLE == size else 0


def _exchanges(communication: Communication, order: Sequence[int], *, rows: int, size: int) -> bool:
    """Whether each rank sends messages of this size to all ranks for which it has a part."""
    columns = len(order) // rows
    step = gcd(rows, columns)
    any_sent = False
    for position, rank in enumerate(order):
        row, column = divmod(position, columns)
        sent = {message.to for message in communication.sent[rank] if message.tag == _TAG and message.bytes == size}
        places = product(range(column % step, rows, step), range(row % step, columns, step))
        partners = {order[to_row * columns + to_column] for to_row, to_column in places} - {rank}
        if not partners <= sent:
            return False
        any_sent = any_sent or bool(partners)
    return any_sent
