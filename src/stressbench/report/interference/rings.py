"""Utilisation of each congestion level, by bubble, partners and messages (Casas and Bronevetsky, Figure 6)."""

from collections.abc import Sequence

from stressbench.interference.profile_summary import LevelSummary, ProfileSummary
from stressbench.report.document import Figure
from stressbench.report.drawing import bare_axes, canvas, finish, point_values
from stressbench.report.interference.pauses import pause_text
from stressbench.report.names import printable
from stressbench.report.palette import tone_of
from stressbench.report.plotting import Axes, FixedLocator, FuncFormatter, NullLocator
from stressbench.report.units import count, percent, time

_MARKS = "osD^v<>P"
_DASHES = ("-", "--", "-.", ":")
_MAX_TICKS = 8
_CAPTION = (
    "Horizontal axis: the bubble, {pause}, shortest last, logarithmic. Colour and mark: number of partners (P); dash: "
    "number of messages to each (M). Bars: 95 % intervals; an open mark is a lower bound (saturated). n = {shown} of "
    "{all}."
)


def draw(summary: ProfileSummary, *, key: str) -> Figure | None:
    """The figure; None if no utilisation is known."""
    shown = [one for one in summary.levels if _height(one) is not None]
    if not shown:
        return None
    fig = canvas(height_in=3.6)
    axes: Axes = fig.subplots()
    partners = sorted({one.configuration.partners for one in shown})
    messages = sorted({one.configuration.messages for one in shown})
    for order, partner_count in enumerate(partners):
        for dash, message_count in enumerate(messages):
            rings = [
                one
                for one in shown
                if (one.configuration.partners, one.configuration.messages) == (partner_count, message_count)
            ]
            if rings:
                _line(axes, rings, order=order, dash=dash, label=f"P = {partner_count}, M = {message_count}")
    pauses = sorted({one.configuration.pause_s for one in shown})
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(pauses[:: max(1, -(-len(pauses) // _MAX_TICKS))]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: time(value)))
    axes.invert_xaxis()
    axes.set_ylim(0, 100)
    bare_axes(axes)
    axes.set_xlabel("bubble between messages")
    axes.set_ylabel("utilisation of the switch / %")
    axes.legend(fontsize=8, ncols=2, loc="best")
    return finish(
        fig, key=f"{key}-rings", title=_title(summary, shown),
        caption=_CAPTION.format(
            pause=pause_text(one.configuration for one in shown),
            shown=count(len(shown), "congestion level"), all=f"{len(summary.levels):,}",
        ),
        description=" ".join(f"{one.configuration}: {percent(_height(one))} %." for one in shown),
    )  # fmt: skip


def _line(axes: Axes, rings: Sequence[LevelSummary], *, order: int, dash: int, label: str) -> None:
    tone, mark = tone_of(order).placeholder, _MARKS[order % len(_MARKS)]
    points = sorted(((one.configuration.pause_s, 100 * (_height(one) or 0.0), one) for one in rings), key=_pause_of)
    axes.plot(
        [at for at, _, _ in points], [value for _, value, _ in points], color=tone, marker=mark, markersize=4.5,
        linewidth=1.3, linestyle=_DASHES[dash % len(_DASHES)], label=label,
    )  # fmt: skip
    texts = [f"{one.configuration}: utilisation {percent(value / 100)} %" for _, value, one in points]
    point_values(axes, [at for at, _, _ in points], [value for _, value, _ in points], texts)
    for at, value, one in points:
        if one.utilisation.value is None:
            axes.plot(at, value, mark, color=tone, markersize=9, markerfacecolor="none")
        elif one.utilisation.low is not None and one.utilisation.high is not None:
            ends = [100 * one.utilisation.low, 100 * one.utilisation.high]
            axes.plot([at, at], ends, color=tone, linewidth=2.6, alpha=0.45, solid_capstyle="butt")


def _pause_of(point: tuple[float, float, LevelSummary]) -> float:
    return point[0]


def _height(one: LevelSummary) -> float | None:
    """The utilisation, or its lower bound."""
    return one.utilisation.low if one.utilisation.value is None else one.utilisation.value


def _title(summary: ProfileSummary, shown: Sequence[LevelSummary]) -> str:
    low, high = (end(_height(one) or 0.0 for one in shown) for end in (min, max))
    return (
        f"Utilisation at the congestion levels of {printable(summary.application)}: {percent(low)} to {percent(high)} %"
    )
