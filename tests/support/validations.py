"""Results of `stressbench validate` without any launch."""

from stressbench.results.validation import Block, OperationRow, Ratio, Validation, Verdict
from stressbench.tracing.iteration_times import IterationTimes, OperationCount


def block(ratio: float = 1.0) -> Block:
    """A pair of launches; an iteration of the program takes 1 s, of which 0.1 s in MPI."""
    return Block(
        program=IterationTimes(time_s=1.0, slowest_s=1.1, mpi_s=0.1),
        workload=IterationTimes(time_s=ratio, slowest_s=None, mpi_s=0.2),
    )


def operation(name: str, *, program: float, workload: float, size: float = 16128.0) -> OperationRow:
    """An operation with so many calls per iteration of each side, all of this size in bytes."""
    counts = (OperationCount(calls=calls, bytes=calls * size) for calls in (program, workload))
    return OperationRow(op=name, program=next(counts), workload=next(counts))


RESULT = Validation(
    verdict=Verdict.same_calls, program=("./app",), workload=("halo2d",), on="local", ranks=2, hosts=1, calls=8,
    found=100, measured=99, ratio=Ratio(value=1.02, low=1.01, high=1.03), mpi_ratio=None, tolerance=None,
    is_certain=True, computation="sequence", complete=True, differences=(), operations=(), blocks=(block(1.02),) * 6,
)  # fmt: skip
