"""Communicators with numbers that all ranks of a schedule agree on. Pure.

A rank numbers its communicators for itself. Communicators of the same ranks are created by these ranks in the same
order, so that the members and the place among communicators of these members identify a communicator everywhere.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from stressbench.formats.trace.records import Communicator, MemberRun
from stressbench.tracing.schedules.refusal import ScheduleRefused
from stressbench.tracing.schedules.sources import RankOfJob, Source

_Runs = tuple[MemberRun, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A communicator: its number in the schedule, and its members as ranks of the schedule."""

    number: int
    job: int
    members: Sequence[int]
    name: str


@dataclass(slots=True)
class Groups:
    """Finds the communicators of each rank. Number k < jobs: all ranks of job k."""

    source: Source
    all: list[Group] = field(init=False)
    _known: dict[tuple[int, _Runs, int], Group] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.all = [Group(number, number, job.ranks, job.name) for number, job in enumerate(self.source.jobs)]

    def of(self, rank: RankOfJob) -> list[Group | None]:
        """The communicators of a rank by their number in the trace; None where the members are not in the trace."""
        seen: Counter[_Runs] = Counter()
        found: list[Group | None] = []
        for number, comm in enumerate(rank.own.comms):
            if number == 0:
                found.append(self.all[rank.job])
            elif comm.members is None or comm.inter:
                found.append(None)
            else:
                found.append(self._known_or_new(rank, comm, comm.members, seen[comm.members]))
                seen[comm.members] += 1
        return found

    def _known_or_new(self, rank: RankOfJob, comm: Communicator, runs: _Runs, place: int) -> Group:
        key = (rank.job, runs, place)
        if key not in self._known:
            of_job = self.source.jobs[rank.job].ranks
            members = [run.first + place * run.stride for run in runs for place in range(min(run.length, comm.size))]
            if len(members) != comm.size or not all(0 <= member < len(of_job) for member in members):
                raise ScheduleRefused(
                    f"rank {rank.own.rank}: a communicator of {comm.size} ranks has members that are not in the trace"
                )
            group = Group(
                len(self.all), rank.job, tuple(of_job[member] for member in members),
                f"{self.source.jobs[rank.job].name} communicator {len(self.all)}",
            )  # fmt: skip
            self.all.append(group)
            self._known[key] = group
        return self._known[key]
