"""Time in MPI over the course of the run: the sum of the ranks' timelines, resampled to a common slice width."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.trace import RankTrace
from stressbench.tracing.operations import OperationClass

Floats = NDArray[np.float64]


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
    """Accumulates timelines rank by rank, with the widest slices seen so far."""

    width_s: float = 0.0
    _sums: Floats = field(
        default_factory=lambda: np.zeros((len(OperationClass) + 1, 0))
    )  # rows: MPI time by class, wall time

    def add(self, rank: RankTrace) -> None:
        """Add one rank's timeline, if it has one."""
        line = rank.timeline
        if line is None:
            return
        width = max(self.width_s, line.width_s)
        if width > self.width_s:
            self._sums = regrid(self._sums, width_s=self.width_s, to_s=width)
            self.width_s = width
        own = np.array([getattr(line, kind.value) for kind in OperationClass], dtype=np.float64)
        own = regrid(own, width_s=line.width_s, to_s=width)
        slices = max(own.shape[1], int(np.ceil(rank.wall_s / width - 1e-9)), self._sums.shape[1])
        alive = np.clip(rank.wall_s - width * np.arange(slices), 0.0, width)
        if missing := slices - self._sums.shape[1]:
            self._sums = np.pad(self._sums, ((0, 0), (0, missing)))
        self._sums[:-1, : own.shape[1]] += own
        self._sums[-1] += alive

    def finish(self) -> Phases | None:
        """The sums; None if no rank has a timeline."""
        if not self.width_s:
            return None
        classes = {kind.value: tuple(map(float, row)) for kind, row in zip(OperationClass, self._sums, strict=False)}
        outside = np.maximum(0.0, self._sums[-1] - self._sums[:-1].sum(axis=0))
        return Phases(width_s=self.width_s, application=tuple(map(float, outside)), **classes)


def regrid(rows: Floats, *, width_s: float, to_s: float) -> Floats:
    """Resample rows of slices of `width_s`, shape (rows, slices), to wider slices, in proportion to the overlap."""
    slices = rows.shape[1]
    if not slices or width_s == to_s:
        return rows
    edges = np.arange(slices + 1) * (width_s / to_s)
    total = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)], axis=1)
    wanted = np.arange(int(np.ceil(edges[-1] - 1e-9)) + 1)
    at = np.array([np.interp(wanted, edges, row) for row in total])
    return np.diff(at, axis=1)
