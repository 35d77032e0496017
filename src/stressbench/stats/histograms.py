"""Histograms of single executions, merged over rounds."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run import Histogram, Kind, Run

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MergedHistogram:
    """Executions of one step over several rounds. Columns have shape (buckets,); bucket bounds are in seconds."""

    quantity: str
    count: int
    min_s: float
    max_s: float
    mean_s: float
    lower_s: Floats
    upper_s: Floats
    counts: NDArray[np.int64]

    def quantile_s(self, share: float) -> float:
        """Time in seconds below which `share` (0 to 1) of the executions lie, accurate to a bucket's width (1 %)."""
        reached = np.cumsum(self.counts)
        bucket = int(np.searchsorted(reached, share * reached[-1]))
        middle = (self.lower_s[bucket] + self.upper_s[bucket]) / 2
        return float(np.clip(middle, self.min_s, self.max_s))


def histograms_of(run: Run, *, job: int, step: int, kind: Kind, quantity: str | None = None) -> tuple[Histogram, ...]:
    """Histograms of one step in all committed rounds of one kind.

    `quantity` selects a quantity that the motif records, such as "write transfer"; the default is the step's execution
    time.
    """
    rounds = {found.round for found in run.rounds if found.kind is kind}
    wanted = run.jobs[job].steps[step].quantity if quantity is None else quantity
    here = run.histograms_of(job=job, step=step)
    return tuple(found for found in here if found.quantity == wanted and found.round in rounds)


def merge(histograms: Sequence[Histogram]) -> MergedHistogram | None:
    """Sum of histograms of the same quantity; buckets with equal bounds are added. None if all are empty."""
    filled = [found for found in histograms if found.count]
    if not filled:
        return None
    bounds = np.concatenate([np.column_stack([found.lower_s, found.upper_s]) for found in filled])
    counts = np.concatenate([found.counts for found in filled])
    edges, which = np.unique(bounds, axis=0, return_inverse=True)
    total = np.zeros(len(edges), dtype=np.int64)
    np.add.at(total, which, counts)
    executions = sum(found.count for found in filled)
    return MergedHistogram(
        quantity=filled[0].quantity, count=executions,
        min_s=min(found.min_s for found in filled), max_s=max(found.max_s for found in filled),
        mean_s=sum(found.mean_s * found.count for found in filled) / executions,
        lower_s=edges[:, 0], upper_s=edges[:, 1], counts=total,
    )  # fmt: skip
