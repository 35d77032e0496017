"""Samples and histograms of a run in columns: a run holds up to millions of them."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run.records import Phase

Integers: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Mask: TypeAlias = NDArray[np.bool_]

PHASES: tuple[Phase, ...] = (Phase.warmup, Phase.measured, Phase.extra)
"""`Samples.phase` holds positions in this tuple."""


def _phase_mask(codes: Integers, phases: tuple[Phase, ...]) -> Mask:
    mask: Mask = np.isin(codes, [PHASES.index(phase) for phase in phases])
    return mask


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """Samples of one job (`step` None) or one step of it, in file order; every column has shape (samples,).

    Times are seconds over the ranks that time the motif, NaN where no rank did; `slowest_host` holds positions in
    `hosts`. Both `slowest_rank` and `slowest_host` are -1 if unknown.
    """

    job: int
    step: int | None
    round: Integers
    repetition: Integers
    phase: Integers
    iterations: Integers
    time_min_s: Floats
    time_mean_s: Floats
    time_max_s: Floats
    slowest_rank: Integers
    slowest_host: Integers
    hosts: tuple[str, ...]

    def __len__(self) -> int:
        """Number of samples."""
        return len(self.round)

    def in_phases(self, *phases: Phase) -> Mask:
        """Shape (samples,): which samples belong to one of `phases`."""
        return _phase_mask(self.phase, phases)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricSamples:
    """A metric that a motif reports, one row per sample that has it; the unit is part of `name` (`open_time_s`).

    `slowest_rank` is the rank with the worst value, -1 if unknown.
    """

    job: int
    step: int | None
    name: str
    round: Integers
    phase: Integers
    minimum: Floats
    mean: Floats
    maximum: Floats
    slowest_rank: Integers

    def in_phases(self, *phases: Phase) -> Mask:
        """Shape (samples,): which rows belong to one of `phases`."""
        return _phase_mask(self.phase, phases)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExecutionHistogram:
    """Histogram of the execution times of one step, or of another `quantity` that its motif recorded.

    Bucket columns have shape (buckets,), bounds in seconds.
    """

    quantity: str
    count: int
    min_s: float
    max_s: float
    mean_s: float
    lower_s: Floats
    upper_s: Floats
    counts: Integers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Histogram(ExecutionHistogram):
    """Histogram of all executions of one step in one round."""

    round: int
    job: int
    step: int
