"""Line plots over equidistant categories; colour, dash and marker differ, so that they work in greyscale, too."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stressbench.report.drawing import point_values
from stressbench.report.palette import FOREGROUND, JOBS
from stressbench.report.plotting import Axes, FuncFormatter, LogLocator
from stressbench.report.units import rate

_MARKERS = "os^Dv<>P"
_DASHES = ("-", "--", "-.", ":")
_MIN_AXIS_SPAN = 10.0
_INTERMEDIATE_TICKS_BELOW = 100.0


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line: `values` in bytes/s by category, None if unknown. `order` selects the style, None the dotted one."""

    label: str
    values: Sequence[float | None]
    order: int | None


def plot(axes: Axes, lines: Sequence[Line], *, ticks: Sequence[str]) -> None:
    """Draw all lines over the categories in `ticks`; `scale` makes the axis of bandwidth logarithmic."""
    for line in lines:
        points = [(at, value) for at, value in enumerate(line.values) if value]
        if not points:
            continue
        order = line.order or 0
        axes.plot(
            [at for at, _ in points], [value for _, value in points], label=line.label, markersize=4,
            color=FOREGROUND.placeholder if line.order is None else JOBS[order % len(JOBS)].placeholder,
            linestyle=(0, (1, 1)) if line.order is None else _DASHES[order % len(_DASHES)],
            marker="x" if line.order is None else _MARKERS[order % len(_MARKERS)],
            linewidth=2 if line.order is None else 1.4,
        )  # fmt: skip
        texts = [f"{line.label}, {ticks[at]}: {rate(value)}" for at, value in points]
        point_values(axes, [at for at, _ in points], [value for _, value in points], texts)
    axes.set_xlim(-0.4, len(ticks) - 0.6)
    axes.set_xticks(range(len(ticks)), list(ticks))
    axes.tick_params(length=0, labelsize=8)
    axes.minorticks_off()
    axes.grid(visible=True)


def scale(axes: Axes, lines: Iterable[Line]) -> None:
    """Set a logarithmic axis of bandwidth that covers at least a decade, so that flat lines look flat."""
    values = [value for line in lines for value in line.values if value]
    low, high = min(values), max(values)
    axes.set_yscale("log")
    if high < _MIN_AXIS_SPAN * low:
        centre, half_span = math.sqrt(low * high), math.sqrt(_MIN_AXIS_SPAN)
        axes.set_ylim(centre / half_span, centre * half_span)
    if high < _INTERMEDIATE_TICKS_BELOW * low:
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: rate(value)))
    axes.minorticks_off()
