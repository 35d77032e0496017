"""Histograms of single executions, merged over rounds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stressbench.formats.run import ExecutionHistogram, Histogram, Kind, Run


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MergedHistogram(ExecutionHistogram):
    """Executions of one step over several rounds."""

    def quantile_s(self, share: float) -> float:
        """Time in seconds below which `share` (0 to 1) of the executions lie, accurate to a bucket's width (1 %)."""
        cumulative = np.cumsum(self.counts)
        bucket = int(np.searchsorted(cumulative, share * cumulative[-1]))
        middle = (self.lower_s[bucket] + self.upper_s[bucket]) / 2
        return float(np.clip(middle, self.min_s, self.max_s))


def histograms_of(run: Run, *, job: int, step: int, kind: Kind, quantity: str | None = None) -> tuple[Histogram, ...]:
    """Histograms of one step in all committed rounds of one kind.

    `quantity` selects a quantity that the motif records, such as "write transfer"; the default is the step's execution
    time.
    """
    rounds = {round_.round for round_ in run.rounds if round_.kind is kind}
    selected_quantity = run.jobs[job].steps[step].quantity if quantity is None else quantity
    candidates = run.histograms_of(job=job, step=step)
    return tuple(
        histogram for histogram in candidates if histogram.quantity == selected_quantity and histogram.round in rounds
    )


def merge(histograms: Sequence[Histogram]) -> MergedHistogram | None:
    """Sum of histograms of the same quantity; buckets with equal bounds are added. None if all are empty."""
    not_empty = [histogram for histogram in histograms if histogram.count]
    if not not_empty:
        return None
    bounds = np.concatenate([np.column_stack([histogram.lower_s, histogram.upper_s]) for histogram in not_empty])
    counts = np.concatenate([histogram.counts for histogram in not_empty])
    edges, bucket_index = np.unique(bounds, axis=0, return_inverse=True)
    total = np.zeros(len(edges), dtype=np.int64)
    np.add.at(total, bucket_index, counts)
    executions = sum(histogram.count for histogram in not_empty)
    return MergedHistogram(
        quantity=not_empty[0].quantity, count=executions,
        min_s=min(histogram.min_s for histogram in not_empty), max_s=max(histogram.max_s for histogram in not_empty),
        mean_s=sum(histogram.mean_s * histogram.count for histogram in not_empty) / executions,
        lower_s=edges[:, 0], upper_s=edges[:, 1], counts=total,
    )  # fmt: skip
