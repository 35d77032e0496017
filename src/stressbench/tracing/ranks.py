"""Translation of communicator ranks to ranks in MPI_COMM_WORLD. Pure."""

from stressbench.formats.trace import RankTrace
from stressbench.formats.trace.records import MemberRun


class WorldRanks:
    """Translates ranks in the communicators of one rank to world ranks."""

    def __init__(self, rank: RankTrace) -> None:
        self._comms = rank.comms

    def of(self, comm: int | None, rank: int) -> int | None:
        """World rank of `rank` in communicator `comm`; None if its members are unknown. -1 (MPI_PROC_NULL) is kept.

        The members of an intercommunicator are its remote group.
        """
        if rank < 0:
            return rank
        if comm is None:
            return None
        members = self._comms[comm].members
        if members is None:
            return rank if comm == 0 else None
        return _member(members, rank)


def _member(member_runs: tuple[MemberRun, ...], index: int) -> int | None:
    for member_run in member_runs:
        if index < member_run.length:
            return member_run.first + index * member_run.stride
        index -= member_run.length
    return None
