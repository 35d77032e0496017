"""Time, MPI time and operations of one iteration, from a capture that holds whole iterations only. Pure."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from stressbench.formats.trace import Trace
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.iterations import Iterations
from stressbench.tracing.operations import WAIT_OF_TEST


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationTimes:
    """Seconds of one iteration and of its MPI calls, each the mean over the ranks and iterations of one launch.

    `slowest_s` is the mean over the iterations of the rank that took longest, None where it is unknown.
    """

    time_s: float
    slowest_s: float | None
    mpi_s: float

    @property
    def mpi_share(self) -> float:
        """Share of the time that is spent in MPI."""
        return self.mpi_s / self.time_s


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationCount:
    """Calls of one operation and the bytes that they send, in one iteration, summed over all ranks."""

    calls: float
    bytes: float


def times_in(trace: Trace, iterations: Iterations) -> IterationTimes:
    """The times of a capture of these iterations. Raises NotComparable where a rank made other calls."""
    trace.require_complete()
    times = iterations.times
    walls_s: list[float] = []
    mpi_s = 0.0
    for rank, run in zip(trace.ranks(), iterations.runs, strict=True):
        expected = run.calls * times
        if rank.sequence_calls != expected:
            raise NotComparable(
                f"rank {rank.rank} made {rank.sequence_calls or 0:,} of {expected:,} expected calls: the calls of the "
                "program differ from launch to launch"
            )
        if iterations.expected is not None:
            iterations.expected.require(rank, times=times)
        walls_s.append(rank.wall_s / times)
        mpi_s += sum(total.time_s for total in rank.totals) / times
    return IterationTimes(time_s=sum(walls_s) / len(walls_s), slowest_s=max(walls_s), mpi_s=mpi_s / len(walls_s))


def mpi_time_s(trace: Trace, iterations: int) -> float:
    """Seconds in MPI of one iteration, mean over the ranks of a capture that holds so many iterations."""
    times_s = [sum(total.time_s for total in rank.totals) / iterations for rank in trace.ranks()]
    return sum(times_s) / len(times_s)


def operations_in(trace: Trace, iterations: int) -> Mapping[str, OperationCount]:
    """Operations of one iteration by name, from a capture that holds so many. A completed test counts as its wait."""
    calls: dict[str, int] = defaultdict(int)
    sizes: dict[str, int] = defaultdict(int)
    for rank in trace.ranks():
        for total in rank.totals:
            op = WAIT_OF_TEST.get(total.op, total.op)
            calls[op] += total.calls - total.empty
            sizes[op] += total.bytes
    return {
        op: OperationCount(calls=calls[op] / iterations, bytes=sizes[op] / iterations)
        for op in sorted(calls)
        if calls[op]
    }
