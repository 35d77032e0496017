"""The ranks of a schedule: those of a program, or of the jobs that run at the same time. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from stressbench.formats.trace import RankTrace, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The calls of one job. `ranks`: of the schedule, by rank of the job; a program has all of them in order.

    The whole sequence of each rank is repeated `repetitions` times.
    """

    name: str
    trace: Trace
    ranks: Sequence[int]
    repetitions: int = 1

    def rank(self, number: int) -> RankTrace:
        """The line of a rank of the job, with all repetitions in its rules."""
        once = self.trace.rank(number)
        if self.repetitions == 1 or not once.rules:
            return once
        body = -len(once.rules)
        return replace(once, rules=(((body, self.repetitions),), *once.rules[1:], once.rules[0]))


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOfJob:
    """A rank of the schedule, `number`, with its calls as rank `own.rank` of the job with the number `job`."""

    number: int
    job: int
    own: RankTrace


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """All jobs of a schedule of `ranks` ranks, no two of which have a rank in common. Ranks without a job are idle."""

    jobs: Sequence[Job]
    ranks: int
    _owners: dict[int, tuple[int, int]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for number, job in enumerate(self.jobs):
            self._owners.update({rank: (number, own) for own, rank in enumerate(job.ranks)})

    def in_order(self) -> Iterator[RankOfJob | int]:
        """Every rank in order, one in memory at a time; of idle ranks, the number."""
        for rank in range(self.ranks):
            if rank not in self._owners:
                yield rank
            else:
                job, own = self._owners[rank]
                yield RankOfJob(number=rank, job=job, own=self.jobs[job].rank(own))

    def of_jobs(self) -> Iterator[RankOfJob]:
        """The ranks that have a job, in order."""
        return (rank for rank in self.in_order() if not isinstance(rank, int))


def of_program(trace: Trace) -> Source:
    """All ranks of a captured program."""
    ranks = trace.header.ranks
    job = Job(name=trace.header.program or "program", trace=trace, ranks=range(ranks))
    return Source(jobs=(job,), ranks=ranks)
