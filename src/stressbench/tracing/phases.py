"""Time in MPI over the course of the run: the sum of the ranks' timelines, resampled to a common slice width."""

from dataclasses import dataclass, field
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.trace import RankTrace
from stressbench.tracing.operations import OperationClass

Floats = NDArray[np.float64]
_NAMES = tuple(kind.value for kind in OperationClass)
_BY_CLASS = attrgetter(*_NAMES)
_MAX_BATCH_SLICES = 1 << 14  # slices of all ranks that are added in one batch
_MAX_ARRAY_ELEMENTS = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Phases:
    """Seconds in each slice of `width_s`, summed over all ranks; `application` is the time outside MPI."""

    width_s: float
    application: tuple[float, ...]
    p2p: tuple[float, ...]
    wait: tuple[float, ...]
    coll: tuple[float, ...]
    io: tuple[float, ...]
    other: tuple[float, ...]


@dataclass(slots=True)
class PhaseAccumulator:
    """Accumulates timelines rank by rank, with the widest slices seen so far.

    Timelines of equal shape are added in batches, but in order, so that rounding is the same as one by one.
    """

    width_s: float = 0.0
    _sums: Floats = field(default_factory=lambda: np.zeros((len(_NAMES) + 1, 0)))  # rows: MPI time by class, wall time
    _batch: list[tuple[tuple[float, ...], ...]] = field(default_factory=list)  # by class, slice by slice
    _batch_wall_s: list[float] = field(default_factory=list)

    def add(self, rank: RankTrace) -> None:
        """Add one rank's timeline, if it has one."""
        timeline = rank.timeline
        if timeline is None:
            return
        if timeline.width_s > self.width_s:
            self._flush()
            self._sums = regrid(self._sums, width_s=self.width_s, to_s=timeline.width_s)
            self.width_s = timeline.width_s
        times = _BY_CLASS(timeline)
        if timeline.width_s < self.width_s:
            resampled = regrid(np.array(times, dtype=np.float64), width_s=timeline.width_s, to_s=self.width_s)
            times = tuple(map(tuple, resampled.tolist()))
        if self._batch and len(times[0]) != len(self._batch[0][0]):
            self._flush()
        self._batch.append(times)
        self._batch_wall_s.append(rank.wall_s)
        if len(self._batch) * max(1, len(times[0])) >= _MAX_BATCH_SLICES:
            self._flush()

    def _flush(self) -> None:
        if not self._batch:
            return
        times, walls = np.array(self._batch, dtype=np.float64), np.array(self._batch_wall_s)
        self._batch.clear()
        self._batch_wall_s.clear()
        slices = max(times.shape[2], int(np.ceil(walls.max() / self.width_s - 1e-9)), self._sums.shape[1])
        self._sums = np.pad(self._sums, ((0, 0), (0, slices - self._sums.shape[1])))
        self._sums[:-1, : times.shape[2]] = _sum_in_order(self._sums[:-1, : times.shape[2]], times)
        starts = self.width_s * np.arange(slices)
        for batch in np.array_split(walls, -(-len(walls) * slices // _MAX_ARRAY_ELEMENTS)):
            self._sums[-1] = _sum_in_order(self._sums[-1], np.clip(batch[:, None] - starts, 0.0, self.width_s))

    def finish(self) -> Phases | None:
        """The sums; None if no rank has a timeline."""
        self._flush()
        if not self.width_s:
            return None
        classes = {name: tuple(map(float, row)) for name, row in zip(_NAMES, self._sums, strict=False)}
        outside = np.maximum(0.0, self._sums[-1] - self._sums[:-1].sum(axis=0))
        return Phases(width_s=self.width_s, application=tuple(map(float, outside)), **classes)


def _sum_in_order(sums: Floats, rows: Floats) -> Floats:
    """`sums` plus all `rows`, shape (n, *sums.shape), added one by one in order."""
    total: Floats = np.add.accumulate(np.concatenate([sums[None], rows]))[-1]
    return total


def regrid(rows: Floats, *, width_s: float, to_s: float) -> Floats:
    """Resample rows of slices of `width_s`, shape (rows, slices), to wider slices, in proportion to the overlap."""
    slices = rows.shape[1]
    if not slices or width_s == to_s:
        return rows
    edges = np.arange(slices + 1) * (width_s / to_s)
    total = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)], axis=1)
    new_edges = np.arange(int(np.ceil(edges[-1] - 1e-9)) + 1)
    cumulative = np.array([np.interp(new_edges, edges, row) for row in total])
    return np.diff(cumulative, axis=1)
