"""Time by rank, in the application and in MPI."""

import numpy as np
from numpy.typing import NDArray

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import area_values, canvas, finish
from stressbench.report.plotting import MaxNLocator
from stressbench.report.traffic.document import imbalance_text
from stressbench.report.traffic.layers import FIGURES_COMMAND, LAYERS, legend, stack
from stressbench.report.units import time, time_unit
from stressbench.tracing.profile import Profile, RankRow

ORDER = 20
_MAX_BARS = 512
_CAPTION = (
    "One bar per rank{folded}: time outside MPI at the bottom, then time in MPI by class. Bars of equal height ended "
    "at the same time; a rank with much application time (grey) and little MPI time makes others wait. n = {ranks} "
    "ranks."
)


def draw(profile: Profile) -> Figure | None:
    """One bar per rank, or per group of consecutive ranks (the mean) if there are many; None if no time is known."""
    if not profile.ranks or not profile.total.wall_s:
        return None
    ranks_per_bar = -(-len(profile.ranks) // _MAX_BARS)
    rows = np.array([_seconds(row) for row in profile.ranks])
    starts = np.arange(0, len(rows), ranks_per_bar)
    bars = np.add.reduceat(rows, starts) / np.diff(np.append(starts, len(rows)))[:, None]
    unit = time_unit([float(bars.sum(axis=1).max())])
    fig = canvas(height_in=2.8)
    axes = fig.subplots()
    edges = np.append(starts, len(rows)) - 0.5
    stack(axes, edges, list((bars * unit.per_second).T))
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(bottom=0)
    texts = [_bar_text(int(start), bar, ranks_per_bar) for start, bar in zip(starts, bars, strict=True)]
    tops = (bars.sum(axis=1) * unit.per_second).tolist()
    area_values(
        axes, [(left, 0.0, right, top) for left, right, top in zip(edges[:-1], edges[1:], tops, strict=True)], texts
    )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    axes.set_xlabel("rank")
    axes.set_ylabel(f"time / {unit.name}")
    legend(axes, (layer.key for number, layer in enumerate(LAYERS) if bars[:, number].any()))
    folded = "" if ranks_per_bar == 1 else f" (the mean of {ranks_per_bar} neighbours)"
    return finish(
        fig,
        key="profile-balance",
        title="Balance of the ranks",
        caption=_CAPTION.format(folded=folded, ranks=f"{profile.facts.ranks_read:,}"),
        description=" ".join(f"{imbalance_text(one)}." for one in profile.imbalances),
    )


def _bar_text(start: int, bar: NDArray[np.float64], ranks_per_bar: int) -> str:
    ranks = f"rank {start}" if ranks_per_bar == 1 else f"ranks from {start} on"
    parts = ", ".join(
        f"{layer.label} {time(value)}" for layer, value in zip(LAYERS, bar.tolist(), strict=True) if value
    )
    return f"{ranks}: {parts}"


def data_file(profile: Profile) -> DataFile:
    """One row per rank and layer, with the time in it."""
    return DataFile(
        name="profile-balance", head=("rank", "part", "time_s"), command=FIGURES_COMMAND,
        rows=tuple(
            (row.rank, layer.label, seconds)
            for row in profile.ranks
            for layer, seconds in zip(LAYERS, _seconds(row), strict=True)
        ),
    )  # fmt: skip


def _seconds(row: RankRow) -> tuple[float, ...]:
    return tuple(getattr(row.split, f"{layer.key}_s") for layer in LAYERS)
