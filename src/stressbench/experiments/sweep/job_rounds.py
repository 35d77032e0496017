"""Rounds of the jobs of runs, and the motifs whose bandwidth they determine. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run import Job, Kind, Run
from stressbench.stats import select
from stressbench.stats.percentiles import grouped_samples, percentile_of
from stressbench.stats.unpaired import concatenate_rounds


@dataclass(frozen=True, kw_only=True)
class SizedStep:
    """A motif of a job whose messages have one size; `carried_bytes` are transferred in its recorded time."""

    step: int
    motif: str
    size_bytes: int
    carried_bytes: float

    def bandwidth(self, runs: Sequence[NDArray[np.float64]]) -> "MedianBandwidth":
        """Bandwidth from the median over all rounds. `runs`: median times of the rounds of each run, s, (rounds,)."""
        rounds = concatenate_rounds(runs)
        median = percentile_of(grouped_samples(rounds, np.arange(len(rounds))), 0.5)
        if median is None:
            return MedianBandwidth()
        times_s = (median.value_s, median.high_s, median.low_s)
        value, low, high = (
            None if time_s is None or time_s <= 0 else self.carried_bytes / time_s for time_s in times_s
        )
        return MedianBandwidth(bytes_per_s=value, low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class MedianBandwidth:
    """Bandwidth in bytes/s with its 95 % interval. None: unknown."""

    bytes_per_s: float | None = None
    low: float | None = None
    high: float | None = None


def sized_steps(job: Job) -> Iterator[SizedStep]:
    """The motifs of the job with a bandwidth and a size of their messages."""
    for number, step in enumerate(job.steps):
        if step.bandwidth_bytes is not None and step.size_bytes:
            yield SizedStep(
                step=number, motif=step.motif, size_bytes=step.size_bytes,
                carried_bytes=step.bandwidth_bytes * step.quantity_scale,
            )  # fmt: skip


def round_medians(run: Run, name: str, step: int | None, kind: Kind) -> NDArray[np.float64]:
    """Median times of the rounds of this kind of the job of this name, s, shape (rounds,); empty without such a job."""
    number = next((job.job for job in run.jobs if job.name == name), None)
    rounds = () if number is None else select(run, job=number, step=step).of(kind)
    return np.array([one.median_s for one in rounds])
