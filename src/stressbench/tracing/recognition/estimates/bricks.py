"""Nekbone: elements and points from the points that ranks share of their bricks (docs/motifs/nekbone.md). Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import gcd, isqrt

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication
from stressbench.tracing.recognition.estimates.numbers import divisors

_DOUBLE = 8
_RECORD = 12  # bytes about a point
_ELEMENTS = Mesh(options=("elements",), dimensions=1, of_rank=True)
_REPEATED = 4
_USUAL_POINTS = 10
_MOST_POINTS = 64
_MOST_ELEMENTS = 1 << 20
_LONGEST = 8  # times the next side, a side of a brick that no message shows
_MOST = 100

Sides = tuple[int, int, int]


def nekbone(communication: Communication) -> Iterator[Candidate]:
    """Candidates of `nekbone`, on the grid that Nekbone chooses.

    Messages show how many points there are along the sides of a brick, and not to how many elements they belong: of
    those that Nekbone would divide into such a brick, elements with nearly the usual number of points are taken.
    """
    points = _points_of_bricks(communication)
    found = {one for brick in _bricks(communication) if (one := _elements(brick, points)) is not None}
    for one in sorted(found, key=lambda one: (one.oddity, one.elements))[:_MOST]:
        lengths = "" if one.is_shown or points else ", nor the length of bricks in x"
        yield candidate(
            "nekbone", _ELEMENTS, elements=one.elements, points=one.points,
            assumed=(f"elements, points: messages do not show how many points an element has{lengths}",),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Elements:
    """Elements of a rank and points along a side of one; `is_shown`: their brick is, in all directions."""

    elements: int
    points: int
    is_shown: bool

    @property
    def oddity(self) -> int:
        """How unusual they are, for sorting."""
        return abs(self.points - _USUAL_POINTS)


@cache
def cubic(number: int) -> Sides:
    """Nekbone's division of a number into three factors, in descending order, as the motif has it."""
    best = (number, 1, 1)
    for third in range(1, round(number ** (1 / 3)) + 1):
        rest, remainder = divmod(number, third)
        if not remainder and third**3 <= number:
            second = next(side for side in range(isqrt(rest), 0, -1) if rest % side == 0)
            last, second, first = sorted((third, second, rest // second))
            if first * best[2] <= best[0] * last:
                best = (first, second, last)
    return best


def _bricks(communication: Communication) -> Iterator[tuple[int | None, int, int]]:
    """Intervals between points along the sides of bricks, by what rank 0 shares with others; None: not shown.

    A message to the next rank in a direction has the points of a face, one to the next in two directions those of an
    edge along the third.
    """
    across, down, layers = cubic(communication.ranks)
    shared: dict[int, set[int]] = {}
    for message, times in communication.sent[0].items():
        if times >= _REPEATED and message.tag == 0 and message.bytes % _DOUBLE == 0:
            shared.setdefault(message.to, set()).add(message.bytes // _DOUBLE)
    x, y, z = 1, across, across * down
    if layers > 1:
        edges = [sorted(shared.get(to, ())) for to in (y + z, x + z, x + y)]
        for a, b, c in product(*edges):
            if {b * c, a * c, a * b} <= set().union(*(shared.get(to, ()) for to in (x, y, z))):
                yield a - 1, b - 1, c - 1
    elif down > 1:
        for c, face, other in product(*(sorted(shared.get(to, ())) for to in (x + y, x, y))):
            if face % c == other % c == 0:
                yield other // c - 1, face // c - 1, c - 1
    elif across > 1:
        for face in sorted(shared.get(x, ())):
            for c in divisors(face):
                if c * c <= face:
                    yield None, face // c - 1, c - 1


def _points_of_bricks(communication: Communication) -> tuple[float, ...]:
    """About how many points a brick may have, by what rank 0 sends in the first stage of the set-up.

    These are the numbers of those points that the upper half of the ranks looks after.
    """
    ranks = communication.ranks
    upper = (ranks // 2) / ranks
    return tuple(
        message.bytes / (_RECORD * upper)
        for message in communication.sent[0]
        if ranks > 1 and message.tag == 1 and message.to == ranks - 1
    )


def _elements(brick: tuple[int | None, int, int], points: Sequence[float]) -> _Elements | None:
    """The most usual elements with such a brick; None if there are none.

    Where its length in x is not shown, as long as a brick of nearly as many `points` is, or else as short as may be.
    """
    x, y, z = brick
    found = [
        (abs(intervals + 1 - _USUAL_POINTS), _difference((a * intervals + 1) * (y + 1) * (z + 1), points), a,
         _Elements(elements=a * b * c, points=intervals + 1, is_shown=x is not None))
        for intervals in divisors(gcd(x or y, y, z))
        for b, c in [(y // intervals, z // intervals)]
        for a in (range(b, _LONGEST * b + 1) if x is None else [x // intervals])
        if intervals < _MOST_POINTS and a * b * c <= _MOST_ELEMENTS and cubic(a * b * c) == (a, b, c)
    ]  # fmt: skip
    return min(found, default=(0, 0.0, 0, None), key=lambda one: one[:3])[-1]


def _difference(number: int, points: Sequence[float]) -> float:
    return min((abs(number - one) for one in points), default=0.0)
