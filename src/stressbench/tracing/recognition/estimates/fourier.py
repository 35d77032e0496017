"""Fourier transforms: meshes from the messages of their transposes and redistributions (docs/motifs). Pure."""

from collections.abc import Iterator
from itertools import product

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication
from stressbench.tracing.recognition.estimates.numbers import divisors, root

_COMPLEX = 16
_POINTS = Mesh(options=("ngx",), dimensions=3)
_MATRIX = Mesh(options=("nx", "ny"), dimensions=2)
_CUBE = Mesh(options=("nx",), dimensions=3)
_TRANSPOSED = tuple(product((False, True), repeat=2))  # in, out
_TIMINGS = (2, 1, 0)
_MOST_MATRICES = 4


def swfft(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `swfft` for cubes: a message has the points of a rank, divided by the cubes along one axis."""
    sizes = {message.bytes for sent in communication.sent for message in sent if message.tag == 0}
    sides: dict[int, None] = {}
    for size, cubes in product(sorted(sizes), range(1, communication.ranks + 1)):
        points, rest = divmod(size * communication.ranks * cubes, _COMPLEX)
        side = root(points, 3)
        if communication.ranks % cubes == 0 and not rest and side > 1 and side**3 == points:
            sides[side] = None
    for side, driver, timing in product(sides, (True, False), _TIMINGS):
        yield candidate("swfft", _POINTS, ngx=side, driver=driver, dfft_timing=timing)


def fft2d(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `fft2d`: square matrices first, since messages show the product of rows and columns only."""
    for rows, columns in _matrices(communication)[:_MOST_MATRICES]:
        assumed = () if rows == columns else ("nx, ny: one of the pairs that give these messages",)
        for (transposed_in, transposed_out), call, barrier in _variants(communication):
            yield candidate(
                "fft2d", _MATRIX, nx=rows, ny=columns, transposed_in=transposed_in, transposed_out=transposed_out,
                call=call, barrier=barrier, assumed=assumed,
            )  # fmt: skip


def fft3d(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `fft3d` in slabs, for cubes."""
    ranks, block = communication.ranks, _largest_block(communication)
    for (transposed_in, transposed_out), call, barrier in _variants(communication):
        one_transpose = transposed_in != transposed_out
        about = root(block * ranks * ranks, 3)
        for side in range(max(2, about - ranks - 1), about + ranks + 2):
            planes = -(-side // ranks)
            others = planes * side if one_transpose else -(-side * side // ranks)
            if planes * others == block:
                yield candidate(
                    "fft3d", _CUBE, nx=side, transposed_in=transposed_in, transposed_out=transposed_out, call=call,
                    barrier=barrier,
                )  # fmt: skip


def _variants(communication: Communication) -> Iterator[tuple[tuple[bool, bool], str, bool]]:
    calls = ["pairwise", "staged", "recursive"] if any(communication.sent) else []
    calls += [call for call in ("alltoall", "alltoallv") if communication.calls(call.capitalize())]
    barriers = (True, False) if communication.calls("Barrier") else (False,)
    yield from product(_TRANSPOSED, calls, barriers)


def _largest_block(communication: Communication) -> int:
    """Complex numbers in the largest message or block of an alltoall; 0 if there is none of whole numbers."""
    sizes = [message.bytes for sent in communication.sent for message in sent]
    sizes += [call.bytes for call in communication.collectives if call.op == "Alltoall"]
    largest = max(sizes, default=0)
    return 0 if largest % _COMPLEX else largest // _COMPLEX


def _matrices(communication: Communication) -> list[tuple[int, int]]:
    """Rows and columns of matrices of which each rank has a block of rows, the most even ones first."""
    ranks, block = communication.ranks, _largest_block(communication)
    if not block or ranks < 2:
        return []
    pairs = communication.pairs()
    found = []
    for own_rows in divisors(block):
        own_columns = block // own_rows
        rows, columns = own_rows, own_columns
        for other in range(1, ranks):
            sizes, reverse = pairs.get((other, 0), {block * _COMPLEX}), pairs.get((0, other), {block * _COMPLEX})
            rows += max(sizes) // (_COMPLEX * own_columns)
            columns += max(reverse) // (_COMPLEX * own_rows)
        found += [(rows, columns), (columns, rows)]  # the transpose from columns to rows has them the other way round
    return sorted(dict.fromkeys(found), key=lambda matrix: max(matrix) / min(matrix))
