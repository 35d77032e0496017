"""Ranks of communicators as ranks of MPI_COMM_WORLD. Pure."""

from stressbench.formats.trace import RankTrace
from stressbench.formats.trace.records import MemberRun


class WorldRanks:
    """The communicators of one rank."""

    def __init__(self, rank: RankTrace) -> None:
        self._comms = rank.comms

    def of(self, comm: int | None, rank: int) -> int | None:
        """The world rank, None where the communicator or its members are not known; -1 (MPI_PROC_NULL) stays.

        The members of an intercommunicator are those of the other side, whom a message goes to.
        """
        if rank < 0:
            return rank
        if comm is None:
            return None
        members = self._comms[comm].members
        if members is None:
            return rank if comm == 0 else None
        return _member(members, rank)


def _member(runs: tuple[MemberRun, ...], place: int) -> int | None:
    for run in runs:
        if place < run.length:
            return run.first + place * run.stride
        place -= run.length
    return None
