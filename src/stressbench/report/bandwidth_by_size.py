"""Figures of bandwidth over message size, both axes logarithmic, with a line for each condition."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.report.document import Figure
from stressbench.report.drawing import canvas, finish, number_ticks, point_values
from stressbench.report.names import short
from stressbench.report.palette import tone_of
from stressbench.report.plotting import Axes, FuncFormatter
from stressbench.report.units import rate_interval, size

_MARKS = "osD^v<>P"


@dataclass(frozen=True, kw_only=True)
class BandwidthPoint:
    """Bandwidth with messages of one size; None: unknown. `low` and `high`: its 95 % interval."""

    size_bytes: int
    bytes_per_s: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class BandwidthLine:
    """The points of one condition, by ascending size."""

    name: str
    points: Sequence[BandwidthPoint]


def draw_bandwidth(
    lines: Sequence[BandwidthLine], *, key: str, title: str, caption: str, description: str
) -> Figure:  # fmt: skip
    """The figure. Points without a bandwidth are left out; intervals are drawn as bars."""
    fig = canvas(height_in=3.4)
    axes: Axes = fig.subplots()
    for number, line in enumerate(lines):
        _draw(axes, line, number=number)
    values = [point.bytes_per_s for line in lines for point in line.points if point.bytes_per_s]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: size(value)))
    if values:
        number_ticks(axes.yaxis, low=min(values), high=max(values))
    axes.minorticks_off()
    axes.grid()
    axes.set_xlabel("message size")
    axes.set_ylabel("bandwidth / (MB/s)")
    axes.legend()
    return finish(fig, key=key, title=title, caption=caption, description=description)


def _draw(axes: Axes, line: BandwidthLine, *, number: int) -> None:
    known = [(point.size_bytes, point.bytes_per_s / 1e6) for point in line.points if point.bytes_per_s is not None]
    if not known:
        return
    tone = tone_of(number).placeholder
    axes.plot(*zip(*known, strict=True), color=tone, marker=_MARKS[number % len(_MARKS)], markersize=4, linewidth=1.4,
              label=short(line.name, max_length=40))  # fmt: skip
    texts = [
        f"{line.name}, {size(point.size_bytes)}: {rate_interval(point.bytes_per_s, point.low, point.high)}"
        for point in line.points
        if point.bytes_per_s is not None
    ]
    point_values(axes, [at for at, _ in known], [value for _, value in known], texts)
    for point in line.points:
        if point.low is not None and point.high is not None:
            axes.plot([point.size_bytes] * 2, [point.low / 1e6, point.high / 1e6], color=tone, linewidth=3, alpha=0.45,
                      solid_capstyle="butt")  # fmt: skip
