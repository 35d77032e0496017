"""Synthetic captures of the V-cycles of a multigrid.

level = MadeLevel(matrix={(0, 1): 80, (1, 0): 88}, interpolation={(1, 0): 8})
path = VCycle(ranks=2, levels=[level], gathered={1: 3}).trace().write(tmp_path)

"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from support.traces import WORLD, MadeRank, MadeTrace, Record, allreduce, call, waitall

Borders = Mapping[tuple[int, int], int]


@dataclass(frozen=True)
class MadeLevel:
    """Bytes from rank to rank: borders of a level's matrix, of the interpolation to it, and of the restriction.

    Without `restriction`, it is the interpolation in the opposite direction.
    """

    matrix: Borders
    interpolation: Borders = field(default_factory=dict)
    restriction: Borders | None = None


@dataclass(frozen=True)
class VCycle:
    """`gathered`: unknowns of the coarsest level by rank. `relaxed`: borders of its matrix.

    `down`: exchanges of each matrix on the way down. `product`: whether one more of the finest follows the cycle.
    """

    ranks: int
    levels: Sequence[MadeLevel]
    gathered: Mapping[int, int] = field(default_factory=dict)
    relaxed: Borders = field(default_factory=dict)
    cycles: int = 4
    down: int = 3
    product: bool = False

    def trace(self) -> MadeTrace:
        return MadeTrace([self.rank(rank) for rank in range(self.ranks)])

    def rank(self, rank: int) -> MadeRank:
        """The calls of a rank: its persistent requests, then each cycle after a reduction, and a last reduction."""
        made = _Calls(rank)
        reduction = made.add(allreduce())
        matrices = [made.exchange(level.matrix) for level in self.levels]
        restrictions = [made.exchange(_restriction(level)) for level in self.levels]
        interpolations = [made.exchange(level.interpolation) for level in self.levels]
        cycle = [reduction]
        for matrix, restriction in zip(matrices, restrictions, strict=True):
            cycle += matrix * self.down + restriction
        cycle += made.exchange(self.relaxed)
        if rank in self.gathered:
            cycle.append(made.add(call("Allgatherv", comm=WORLD, bytes=8 * self.gathered[rank], unit=8)))
        for matrix, interpolation in zip(reversed(matrices), reversed(interpolations), strict=True):
            cycle += interpolation + matrix * 2
        cycle += matrices[0] if self.product else []
        rules = [[*_once(made.inits), [-1, self.cycles], [reduction, 1]], _once(cycle)]
        return MadeRank(made.calls, rules=rules)


class _Calls:
    """The distinct calls of a rank, and the numbers of those that create persistent requests."""

    def __init__(self, rank: int) -> None:
        self._rank = rank
        self.calls: list[Record] = []
        self.inits: list[int] = []

    def add(self, made: Record) -> int:
        self.calls.append(made)
        return len(self.calls) - 1

    def exchange(self, borders: Borders) -> list[int]:
        """Numbers of the calls of one exchange of this rank; none without a message."""
        first = len(self.inits)
        for (source, to), size in borders.items():
            if to == self._rank:
                self._init("Recv_init", source, size)
        for (source, to), size in borders.items():
            if source == self._rank:
                self._init("Send_init", to, size)
        slots = range(first, len(self.inits))
        if not slots:
            return []
        return [self.add(call("Startall", requests=list(slots))), self.add(waitall(*slots))]

    def _init(self, op: str, other: int, size: int) -> None:
        made = call(op, comm=WORLD, peer=other, tag=0, bytes=size, unit=8, request=len(self.inits))
        self.inits.append(self.add(made))


def _restriction(level: MadeLevel) -> Borders:
    if level.restriction is not None:
        return level.restriction
    return {(to, source): size for (source, to), size in level.interpolation.items()}


def _once(numbers: Sequence[int]) -> list[list[int]]:
    return [[number, 1] for number in numbers]
