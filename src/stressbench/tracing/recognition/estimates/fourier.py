"""Fourier transforms: meshes from the messages of their transposes and redistributions (docs/motifs). Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import permutations, product

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication
from stressbench.tracing.recognition.estimates.numbers import divisors, root

_COMPLEX, _DOUBLE = 16, 8
_POINTS = Mesh(options=("ngx",), dimensions=3)
_MATRIX = Mesh(options=("nx", "ny"), dimensions=2)
_CUBE = Mesh(options=("nx",), dimensions=3)
_TRANSPOSED = tuple(product((False, True), repeat=2))  # in, out
_TIMINGS = (2, 1, 0)
_MOST_MATRICES = 4
_STAGED_BYTES = 16384  # FFTW_MEASURE tries transposes in stages for messages of up to so many bytes on average
_PAIRWISE, _STAGES = "pairwise", ("staged", "recursive")
_FIRST_SUMS, _SUMS = 25, 12  # of VPFFT: reductions at the beginning of a strain step, and in a solver iteration
_SUM = "Allreduce[SUM]:8@"
_MOST_SIZES, _MOST_SIDES, _MOST_STEPS = 4, 2, 4


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


def vpfft(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `vpfft` for cubes: strain steps with so many solver iterations as the program's."""
    sides = _sides_of_slabs(communication)
    if not sides or communication.calls("Allreduce", size=_DOUBLE) < _FIRST_SUMS + _SUMS:
        return
    steps = Counter(_solver_iterations(communication.tokens()))
    for side, (iterations, _) in product(sides, steps.most_common(_MOST_STEPS)):
        for calls in _transposes(side, communication.ranks):
            yield candidate("vpfft", _CUBE, nx=side, solver_iterations=iterations, call=calls, any_number=True)


def _solver_iterations(tokens: Iterable[str]) -> Iterator[int]:
    """Solver iterations of each strain step: as many as there are runs of their sums until the next barrier."""
    sums, iterations, begun = 0, 0, False
    for token in tokens:
        if token.startswith(_SUM):
            sums += 1
            continue
        begun, iterations = begun or sums == _FIRST_SUMS, iterations + (sums == _SUMS)
        sums = 0
        if token.startswith("Barrier"):
            if begun and iterations:
                yield iterations
            iterations, begun = 0, False


def _sides_of_slabs(communication: Communication) -> list[int]:
    """Cubes of which the messages that rank 0 sends most often are blocks, in the transpose from planes to lines."""
    ranks = communication.ranks
    times: Counter[int] = Counter()
    for message, number in communication.sent[0].items():
        times[message.bytes] += number
    sides: dict[int, None] = {}
    for size, _ in times.most_common(_MOST_SIZES):
        about = root(size // _COMPLEX * ranks * ranks, 3)
        for side in range(max(2, about - ranks - 1), about + ranks + 2):
            if _COMPLEX * -(-side // ranks) * -(-side * side // ranks) == size:
                sides[side] = None
    return list(sides)[:_MOST_SIDES]


def _transposes(side: int, ranks: int) -> Iterator[str]:
    """Calls of transposes there and back that FFTW may choose: alike in all transforms, or other ones backwards."""
    is_prime = len(list(divisors(ranks))) <= 2
    small = not is_prime and _COMPLEX * side**3 // ranks**2 <= _STAGED_BYTES
    there = (_PAIRWISE, *(_STAGES if small and side * side % ranks == 0 else ()))
    back = (_PAIRWISE, *(_STAGES if small and side % ranks == 0 else ()))
    yield _PAIRWISE
    yield from (",".join(pair) for pair in product(there, back) if pair != (_PAIRWISE, _PAIRWISE))
    both = [call for call in there if call in back]
    yield from (",".join((one, one, other, other)) for one, other in permutations(both, 2))


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
