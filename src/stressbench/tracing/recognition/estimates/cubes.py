"""Motifs whose messages have no simple formula: the side of a cube is searched until messages are as long. Pure."""

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stressbench.tracing.recognition.candidate import Candidate, Mesh, candidate
from stressbench.tracing.recognition.communication import Communication

LargestMessage = Callable[[Candidate], int | None]
"""Bytes of the largest message of a candidate on the ranks of the capture; None if it cannot run on them."""

_SIDES = tuple(1 << k for k in range(13))
_MOST_REFUSED = 16  # sides in a row
_SIZES = 8
_REPEATED = 4
_BOX = Mesh(options=("nx", "ny", "nz"), dimensions=3)
_LATTICE = Mesh(options=("nx", "ny", "nz", "nt"), dimensions=4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cube:
    """A motif on a cube whose side is not known. The largest message must grow with it."""

    motif: str
    mesh: Mesh
    options: tuple[tuple[str, str], ...] = ()

    def with_side(self, side: int) -> Candidate:
        """The candidate with this side."""
        return candidate(self.motif, self.mesh, {**dict(self.options), **dict.fromkeys(self.mesh.options, side)})

    def candidate_with(self, size: int, largest_message: LargestMessage) -> Candidate | None:
        """The shortest cube whose largest message has `size` bytes; None if there is none."""

        def from_side(side: int) -> tuple[Candidate, int] | None:
            """The first cube of at least this side that can be divided among the ranks, with its largest message."""
            cubes_ = map(self.with_side, range(side, side + _MOST_REFUSED))
            return next(((one, found) for one in cubes_ if (found := largest_message(one)) is not None), None)

        def is_long_enough(side: int) -> bool:
            found = from_side(side)
            return found is None or found[1] >= size  # refused: a message would be too long

        shortest = next((side for side in _SIDES if from_side(side) is not None), None)
        if shortest is None:
            return None
        longest = next((side for side in _SIDES if side > shortest and is_long_enough(side)), _SIDES[-1])
        found = from_side(bisect_left(range(longest), 1, lo=shortest, key=is_long_enough))
        return found[0] if found is not None and found[1] == size else None


CUBES = (
    Cube(motif="minife", mesh=_BOX),
    Cube(motif="comd", mesh=_BOX, options=(("potential", "eam"),)),
    Cube(motif="comd", mesh=_BOX, options=(("potential", "lj"),)),
    Cube(motif="milc", mesh=_LATTICE, options=(("precision", "single"),)),
    Cube(motif="milc", mesh=_LATTICE, options=(("precision", "double"),)),
)


def cubes(communication: Communication, largest_message: LargestMessage) -> Iterator[Candidate]:
    """Candidates of these motifs whose largest message is one that the program sends again and again."""
    for cube in CUBES:
        for size in _repeated_sizes(communication):
            found = cube.candidate_with(size, largest_message)
            if found is not None:
                yield found


def _repeated_sizes(communication: Communication) -> list[int]:
    """The longest messages that a rank sends to another several times."""
    sizes = {message.bytes for sent in communication.sent for message, times in sent.items() if times >= _REPEATED}
    return sorted(sizes, reverse=True)[:_SIZES]
