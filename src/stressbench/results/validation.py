"""What the comparison of a workload with the application that it models found, as values."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from stressbench.stats.intervals import MIN_PAIRS, paired_interval
from stressbench.tracing.iteration_times import IterationTimes, OperationCount
from stressbench.tracing.iterations import IterationDifference

REPLAY = "replay"
"""The workload that repeats the program's own calls, as `Validation.workload` names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A launch of the program and the launch of the workload that followed it, with the computation of the former."""

    program: IterationTimes
    workload: IterationTimes

    @property
    def ratio(self) -> float:
        """Time of the workload over that of the program."""
        return self.workload.time_s / self.program.time_s


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRow:
    """One operation in an iteration of each side, summed over all ranks; zeros where a side does not have it."""

    op: str
    program: OperationCount
    workload: OperationCount

    @property
    def same(self) -> bool:
        """Whether calls and bytes are equal."""
        return self.program == self.workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """Ratio of times with its 95 % interval; the bounds are None with fewer than 6 blocks."""

    value: float
    low: float | None
    high: float | None


class Verdict(StrEnum):
    """Answer of a validation."""

    different_calls = "different calls"
    """The program never makes the calls of the workload."""
    within = "within tolerance"
    """The estimated ratio lies within the tolerance."""
    outside = "outside tolerance"
    same_calls = "same calls"
    """The calls are the same, and no tolerance was given for the times."""


@dataclass(frozen=True, kw_only=True)
class Validation:
    """A workload beside its application. `program` and `workload` are their command lines.

    `calls`: calls of an iteration on all ranks. `found`: successive iterations of the program with the calls of the
    workload, of which `measured` were measured in each launch. `differences`: the first difference of each rank
    that never makes these calls; then nothing was measured. `ratio`: time of an iteration of the workload over that
    of the program, `mpi_ratio` the same of the times in MPI; None without launches. `tolerance`: the largest
    accepted deviation of the ratio from 1, None without one. `is_certain`: whether the interval lies on one side of
    the tolerance, as the estimate does. `complete`: whether all launches ran. `any_tag`: tags were not compared.
    `any_wait_place`: the place of waits among other calls was not compared, since ranks test for messages. `whole`:
    the whole run is the only iteration, and `calls` are those of the first launch. `cpu_time`: the program's
    computation is processor time, not elapsed time. `working_set_bytes`: memory that the workload's computation reads,
    as much as a rank of the program uses in the measured iterations; None if it reads none. `notes`: what was not as
    expected, as sentences.
    """

    verdict: Verdict
    program: tuple[str, ...]
    workload: tuple[str, ...]
    on: str
    ranks: int
    hosts: int | None
    calls: int
    found: int
    measured: int
    ratio: Ratio | None
    mpi_ratio: Ratio | None
    tolerance: float | None
    is_certain: bool
    computation: str
    complete: bool
    differences: tuple[IterationDifference, ...]
    operations: tuple[OperationRow, ...]
    blocks: tuple[Block, ...]
    any_tag: bool = False
    any_wait_place: bool = False
    whole: bool = False
    cpu_time: bool = False
    working_set_bytes: int | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_replay(self) -> bool:
        """Whether the workload repeats the program's own calls."""
        return self.workload == (REPLAY,)


def verdict_of(
    ratio: Ratio | None, *, tolerance: float | None, differences: Sequence[IterationDifference]
) -> tuple[Verdict, bool]:
    """The answer, and whether the interval of the ratio lies on one side of the tolerance as its estimate does."""
    if differences:
        return Verdict.different_calls, True
    if tolerance is None or ratio is None:
        return Verdict.same_calls, True
    verdict = Verdict.within if abs(ratio.value - 1) <= tolerance else Verdict.outside
    if ratio.low is None or ratio.high is None:
        return verdict, False
    inside = 1 - tolerance <= ratio.low and ratio.high <= 1 + tolerance
    outside = ratio.high < 1 - tolerance or 1 + tolerance < ratio.low
    return verdict, inside or outside


def ratio_of(ratios: Sequence[float]) -> Ratio | None:
    """Hodges-Lehmann estimate of paired ratios with the Wilcoxon interval, on logarithms; None without a ratio."""
    if not ratios:
        return None
    estimate = paired_interval(np.log(np.array(ratios)))
    known = len(ratios) >= MIN_PAIRS and estimate.low is not None and estimate.high is not None
    return Ratio(
        value=float(np.exp(estimate.centre)),
        low=float(np.exp(estimate.low)) if known and estimate.low is not None else None,
        high=float(np.exp(estimate.high)) if known and estimate.high is not None else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchPair:
    """One pair of launches as a flat record: seconds of an iteration, see `IterationTimes`."""

    program_s: float
    workload_s: float
    program_slowest_s: float | None
    workload_slowest_s: float | None
    program_mpi_s: float
    workload_mpi_s: float
    ratio: float


def launch_pairs(result: Validation) -> tuple[LaunchPair, ...]:
    """All pairs of launches, in order."""
    return tuple(
        LaunchPair(
            program_s=one.program.time_s, workload_s=one.workload.time_s, program_slowest_s=one.program.slowest_s,
            workload_slowest_s=one.workload.slowest_s, program_mpi_s=one.program.mpi_s,
            workload_mpi_s=one.workload.mpi_s, ratio=one.ratio,
        )
        for one in result.blocks
    )  # fmt: skip
