"""Rounds of the jobs of runs, and the motifs whose bandwidth they determine. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run import Job, Kind, Run
from stressbench.stats import select


@dataclass(frozen=True, kw_only=True)
class SizedStep:
    """A motif of a job whose messages have one size; `carried_bytes` are transferred in its recorded time."""

    step: int
    motif: str
    size_bytes: int
    carried_bytes: float


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
