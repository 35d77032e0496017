"""What ranks do in stages: the partner across a bit of each rank's number, or in a binomial tree, by stage. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Whom a message is exchanged with, as motif `stencil` writes it."""

    across = "^"
    above = "+^"
    below = "-^"
    parent = "parent"
    child = "child"


OTHER_SIDE = {
    Role.above: Role.below, Role.below: Role.above, Role.parent: Role.child, Role.child: Role.parent,
}  # fmt: skip
"""The role of a rank for its partner."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a rank does in a stage: the number of the stage, the role of its partner, and its rank."""

    stage: int
    role: Role
    partner: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """Which stages there are, as motif `stencil` names them; without `in_tree` across bits."""

    in_tree: bool
    down: bool
    highest: bool = False
    root: int = 0

    @property
    def words(self) -> str:
        """The begin of the loop."""
        words = ["stages", *(["down"] if self.down else []), *(["highest"] if self.highest else [])]
        return " ".join([*words, *(["root", str(self.root)] if self.root else [])])

    def exchanges(self, rank: int, ranks: int) -> tuple[Exchange, ...]:
        """What a rank does in its stages, in their order."""
        stages = range((ranks - 1).bit_length())
        found = (self._exchange(stage, rank, ranks) for stage in (reversed(stages) if self.down else stages))
        return tuple(one for one in found if one is not None)

    def _exchange(self, stage: int, rank: int, ranks: int) -> Exchange | None:
        distance = 1 << stage
        if not self.in_tree:
            return Exchange(stage, Role.below if rank & distance else Role.above, rank ^ distance)
        place = (rank - self.root) % ranks
        bits = place if self.highest else place % (2 * distance)
        is_parent = bits < distance if self.highest else bits == 0
        is_child = distance <= bits < 2 * distance and (self.highest or bits == distance)
        if is_child:
            return Exchange(stage, Role.parent, (place - distance + self.root) % ranks)
        if is_parent and place + distance < ranks:
            return Exchange(stage, Role.child, (place + distance + self.root) % ranks)
        return None
