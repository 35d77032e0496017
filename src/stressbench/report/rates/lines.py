"""Line plots of degradation factors with their intervals."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.report.drawing import RatioFormatter, bare_axes, point_values
from stressbench.report.names import printable, short
from stressbench.report.palette import MUTED, tone_of
from stressbench.report.plotting import Axes, NullFormatter
from stressbench.report.units import factor_and_interval
from stressbench.stats.unpaired import PooledRatio

MARKS = "osD^v<>P"
MAX_LINES = len(MARKS)
_LOW, _HIGH = 0.9, 2.1
_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True, kw_only=True)
class FactorPoint:
    """A degradation factor and its position on the horizontal axis."""

    at: float
    factor: PooledRatio


def draw_line(axes: Axes, places: Sequence[FactorPoint], *, label: str, order: int) -> None:
    """Draw one line with a bar for each interval, without the points that have no factor; `order` selects the style."""
    known = [(place.at, place.factor.ratio, place.factor) for place in places]
    points = [(at, ratio, factor) for at, ratio, factor in known if ratio is not None]
    if not points:
        return
    tone = tone_of(order).placeholder
    axes.plot(
        [at for at, _, _ in points], [ratio for _, ratio, _ in points], color=tone, marker=MARKS[order % MAX_LINES],
        markersize=4.5, linewidth=1.3, linestyle=_DASHES[order % len(_DASHES)], label=short(printable(label)),
    )  # fmt: skip
    texts = [f"{label}: {factor_and_interval(ratio, factor.low, factor.high)}" for _, ratio, factor in points]
    point_values(axes, [at for at, _, _ in points], [ratio for _, ratio, _ in points], texts)
    for at, _, factor in points:
        if factor.low is not None and factor.high is not None:
            axes.plot([at, at], [factor.low, factor.high], color=tone, linewidth=3, alpha=0.45, solid_capstyle="butt")


def finish_axes(axes: Axes) -> None:
    """Set log2 axes that cover at least the factors 1 to 2, so that flat lines look flat, and draw the line at 1."""
    axes.axhline(1.0, color=MUTED.placeholder, linewidth=1, zorder=0)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, _LOW), max(high, _HIGH))
    axes.yaxis.set_major_formatter(RatioFormatter())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    bare_axes(axes)
