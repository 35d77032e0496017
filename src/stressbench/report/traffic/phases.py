"""Time in the application and in MPI over the course of the run."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import area_values, canvas, finish
from stressbench.report.plotting import PercentFormatter
from stressbench.report.traffic.layers import FIGURES_COMMAND, LAYERS, legend, stack
from stressbench.report.units import percent, time, time_unit
from stressbench.tracing.profile import Profile

ORDER = 10
_CAPTION = (
    "Time since MPI_Init in slices of {width}. The height of a layer is its share of the time of all ranks that were "
    "still running: the application at the bottom, then MPI by class. A phase is a period of constant heights; "
    "application time (grey) that decreases towards the end means ranks that wait for others. n = {ranks} ranks."
)


def draw(profile: Profile) -> Figure | None:
    """The stacked shares of time; None if no rank has a timeline."""
    phases = profile.phases
    if phases is None:
        return None
    rows = np.array([getattr(phases, layer.key) for layer in LAYERS])
    total = rows.sum(axis=0)
    slices = int(np.flatnonzero(total)[-1]) + 1 if total.any() else 0
    if not slices:
        return None
    shares = rows[:, :slices] / np.where(total[:slices] > 0, total[:slices], 1.0)
    unit = time_unit([slices * phases.width_s])
    edges = np.arange(slices + 1, dtype=np.float64) * (phases.width_s * unit.per_second)
    fig = canvas(height_in=3.0)
    axes = fig.subplots()
    stack(axes, edges, list(shares))
    ends = edges.tolist()
    area_values(
        axes, [(left, 0.0, right, 1.0) for left, right in pairwise(ends)],
        [_slice_text(number * phases.width_s, phases.width_s, shares[:, number]) for number in range(slices)],
    )  # fmt: skip
    axes.set_xlim(0, edges[-1])
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, symbol=" %"))
    axes.set_xlabel(f"time since MPI_Init / {unit.name}")
    axes.set_ylabel("share of the ranks' time")
    legend(axes, (layer.key for layer, row in zip(LAYERS, rows, strict=True) if row.any()))
    parts = ", ".join(
        f"{layer.label} {100 * row.sum() / total.sum():.0f} %"
        for layer, row in zip(LAYERS, rows, strict=True)
        if row.any()
    )
    return finish(
        fig,
        key="profile-phases",
        title="Time in the application and in MPI over the run",
        caption=_CAPTION.format(width=time(phases.width_s), ranks=f"{profile.facts.ranks_read:,}"),
        description=f"Shares over the whole run: {parts}.",
    )


def _slice_text(began_s: float, width_s: float, shares: NDArray[np.float64]) -> str:
    parts = ", ".join(
        f"{layer.label} {percent(share)} %" for layer, share in zip(LAYERS, shares.tolist(), strict=True) if share
    )
    return f"{time(began_s)} to {time(began_s + width_s)}: {parts}"


def data_file(profile: Profile) -> DataFile:
    """One row per slice and layer, with the time in it, over all ranks; no rows without a timeline."""
    phases = profile.phases
    slices = () if phases is None else tuple(zip(*(getattr(phases, layer.key) for layer in LAYERS), strict=True))
    width_s = 0.0 if phases is None else phases.width_s
    return DataFile(
        name="profile-phases", head=("began_s", "ended_s", "part", "time_s"), command=FIGURES_COMMAND,
        rows=tuple(
            (number * width_s, (number + 1) * width_s, layer.label, seconds)
            for number, parts in enumerate(slices)
            for layer, seconds in zip(LAYERS, parts, strict=True)
        ),
    )  # fmt: skip
