"""Ranks of communicators as ranks of MPI_COMM_WORLD. Pure."""

from stressbench.model import RankTrace
from stressbench.model.trace_records import MemberRun


class WorldRanks:
    """The communicators of one rank."""

    def __init__(self, rank: RankTrace) -> None:
        self._comms = rank.comms

    def of(self, comm: int | None, rank: int) -> int | None:
        """The world rank, None where the members are not known; -1 (MPI_PROC_NULL) stays."""
        if rank < 0 or comm is None:
            return rank
        found = self._comms[comm]
        if comm == 0 and found.members is None:
            return rank
        return None if found.members is None or found.inter else _member(found.members, rank)


def _member(runs: tuple[MemberRun, ...], place: int) -> int | None:
    for run in runs:
        if place < run.length:
            return run.first + place * run.stride
        place -= run.length
    return None
