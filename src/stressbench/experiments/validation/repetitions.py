"""How many iterations of a program are measured, with which computation, and in which repetitions of the engine."""

from math import ceil

from stressbench.experiments.validation.workload import Computation
from stressbench.formats.trace import MAX_GAP_TIMES
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.iterations import Iterations

MAX_TIMES_OF_REPETITION = 65_536
"""As many times of computation as the engine has ready for a repetition; those beyond are the first ones again."""
_LEAST_REPETITION_S = 0.02
_LEAST_MEASURED_S = 0.2


def choose_computation(
    iterations: Iterations, computation: Computation | None, *, most: int
) -> tuple[Computation, Iterations]:
    """The computation, and at most `most` of the iterations: in sequence, those whose times the tracer can keep.

    Without a computation, it is in sequence if the times of an iteration can be kept, and measured otherwise. Raises
    NotComparable if it is to be in sequence and they cannot.
    """
    calls = max(run.calls for run in iterations.runs)
    kept = MAX_GAP_TIMES // max(calls, 1)
    if computation is None:
        computation = Computation.sequence if kept else Computation.measured
    if computation is not Computation.sequence:
        return computation, iterations.limited(most)
    if not kept:
        raise NotComparable(
            f"an iteration has {calls:,} calls, and the tracer keeps the times before {MAX_GAP_TIMES:,}; use "
            f"--computation {Computation.measured}"
        )
    return computation, iterations.limited(min(most, kept))


def repetitions_of(*, times: int, calls: int, time_s: float) -> tuple[int, int]:
    """The iterations in a repetition of a motif, and its repetitions, for `times` iterations of `time_s` each.

    Ranks start a repetition together and those of the program do not, which adds some microseconds to its first
    iteration: a repetition takes at least `_LEAST_REPETITION_S` if the engine has as many times of computation ready.
    What disturbs the start of a launch disturbs a few milliseconds most: all are measured again until they take at
    least `_LEAST_MEASURED_S`.
    """
    most = max(MAX_TIMES_OF_REPETITION // max(calls, 1), 1)
    least = min(ceil(_LEAST_REPETITION_S / time_s), most, times)
    repetitions = times // least
    return min(times // repetitions, most), repetitions * passes_over(time_s * times)


def passes_over(time_s: float) -> int:
    """How often iterations that take `time_s` in all are measured, so that they take at least `_LEAST_MEASURED_S`."""
    return max(ceil(_LEAST_MEASURED_S / time_s), 1)
