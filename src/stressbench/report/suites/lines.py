"""Lines over categories at equal distances: one tone, dash and marker each, so that they differ in grey, too."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from stressbench.report.palette import INK, JOBS
from stressbench.report.units import rate

_MARKERS = "os^Dv<>P"
_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line; `values` in bytes/s by category, None where there is none. `order` chooses how it looks; None: ink."""

    label: str
    values: Sequence[float | None]
    order: int | None


def plot(axes: Axes, lines: Sequence[Line], *, ticks: Sequence[str]) -> None:
    """All lines over the categories that `ticks` name, bandwidth on a logarithmic scale."""
    for line in lines:
        points = [(at, value) for at, value in enumerate(line.values) if value]
        if not points:
            continue
        order = line.order or 0
        axes.plot(
            [at for at, _ in points], [value for _, value in points], label=line.label, markersize=4,
            color=INK.stand_in if line.order is None else JOBS[order % len(JOBS)].stand_in,
            linestyle=(0, (1, 1)) if line.order is None else _DASHES[order % len(_DASHES)],
            marker="x" if line.order is None else _MARKERS[order % len(_MARKERS)],
            linewidth=2 if line.order is None else 1.4,
        )  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: rate(value)))
    axes.set_xlim(-0.4, len(ticks) - 0.6)
    axes.set_xticks(range(len(ticks)), list(ticks))
    axes.tick_params(length=0, labelsize=8)
    axes.minorticks_off()
    axes.grid(visible=True)
