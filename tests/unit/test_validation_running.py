"""How many iterations are measured, and with which computation between the workload's calls."""

import pytest

from stressbench.experiments.validation.running import measurable
from stressbench.experiments.validation.workload import Computation
from stressbench.tracing.iterations import Iterations, IterationSpan, NotComparable


def iterations(*calls: int, times: int = 5000) -> Iterations:
    """As many iterations on each rank, with so many calls each."""
    runs = tuple(IterationSpan(start=0, calls=number, times=times) for number in calls)
    return Iterations(runs=runs, found=times, skipped=0, differences=())


@pytest.mark.parametrize(
    ("computation", "calls", "found", "times"),
    [
        (None, (12, 10), Computation.sequence, 1000),
        (None, (131, 200), Computation.sequence, 655),  # 131,072 times are kept
        (None, (10, 131_072), Computation.sequence, 1),
        (None, (10, 131_073), Computation.measured, 1000),
        (None, (0,), Computation.sequence, 1000),
        (Computation.measured, (131, 200), Computation.measured, 1000),
        (Computation.mean, (200_000,), Computation.mean, 1000),
        (Computation.sequence, (200,), Computation.sequence, 655),
    ],
)
def test_in_sequence_only_iterations_whose_times_are_kept_are_measured(computation, calls, found, times):
    chosen, limited = measurable(iterations(*calls), computation, most=1000)
    assert (chosen, limited.times) == (found, times)


def test_an_iteration_of_too_many_calls_is_not_computed_in_sequence():
    with pytest.raises(
        NotComparable, match=r"131,073 calls, and the tracer keeps the times before 131,072; use --comp"
    ):
        measurable(iterations(131_073), Computation.sequence, most=1000)
