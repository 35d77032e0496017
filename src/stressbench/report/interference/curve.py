"""Slowdown over utilisation: congestion levels and the monotone curve (Casas and Bronevetsky, Figure 7)."""

from stressbench.interference.profile_summary import LevelSummary, ProfileSummary
from stressbench.report.document import Figure
from stressbench.report.drawing import RatioFormatter, bare_axes, canvas, finish, point_values
from stressbench.report.names import printable
from stressbench.report.palette import BACKGROUND, JOBS, MUTED
from stressbench.report.plotting import Axes
from stressbench.report.units import count, factor, multiplier_text, percent

_CAPTION = (
    "Marks: congestion levels, with the utilisation of the switch at each level and the slowdown of the application "
    "there, contended over isolated time; bars are 95 % intervals. Line: the slowdown curve that predictions use, a "
    "least-squares fit that never falls and begins at 1; its band contains 95 % of the bootstrap replicates. Beyond "
    "its end there are no measurements.{unknown_note} n = {levels}, {runs} at each level, {alone} isolated."
)


def draw(summary: ProfileSummary, *, key: str) -> Figure | None:
    """The figure; None if no congestion level has a utilisation."""
    levels = [one for one in summary.levels if one.utilisation.value is not None]
    if not levels:
        return None
    fig = canvas(height_in=3.6)
    axes: Axes = fig.subplots()
    utilisations = [100 * point.utilisation for point in summary.curve]
    tone = JOBS[0].placeholder
    axes.fill_between(
        utilisations, [point.low for point in summary.curve], [point.high for point in summary.curve], color=tone,
        alpha=0.18, linewidth=0,
    )  # fmt: skip
    axes.plot(
        utilisations,
        [point.slowdown for point in summary.curve],
        color=tone,
        linewidth=1.8,
        label="slowdown curve with 95 % band",
    )
    for one in levels:
        _mark(axes, one)
    axes.plot(
        [], [], "D", color=JOBS[1].placeholder, markersize=6, markeredgecolor=BACKGROUND.placeholder,
        label="congestion level",
    )  # fmt: skip
    axes.axhline(1.0, color=MUTED.placeholder, linewidth=1, zorder=0)
    axes.set_xlim(0, 100)
    bare_axes(axes)
    axes.yaxis.set_major_formatter(RatioFormatter())
    axes.set_xlabel("utilisation of the switch / %")
    axes.set_ylabel("contended / isolated time")
    axes.legend(fontsize=8, loc="upper left")
    return finish(
        fig, key=f"{key}-curve", title=_title(summary, levels), caption=_caption(summary, levels),
        description=" ".join(map(_description, levels)),
    )  # fmt: skip


def _mark(axes: Axes, one: LevelSummary) -> None:
    utilisation, slowdown, tone = one.utilisation, one.slowdown, JOBS[1].placeholder
    assert utilisation.value is not None
    if utilisation.low is not None and utilisation.high is not None:
        axes.plot(
            [100 * utilisation.low, 100 * utilisation.high], [slowdown.centre] * 2, color=tone, linewidth=1.4, alpha=0.7
        )
    if slowdown.low is not None and slowdown.high is not None:
        axes.plot([100 * utilisation.value] * 2, [slowdown.low, slowdown.high], color=tone, linewidth=1.4, alpha=0.7)
    axes.plot(
        100 * utilisation.value, slowdown.centre, "D", color=tone, markersize=6, markeredgecolor=BACKGROUND.placeholder
    )
    text = (
        f"{one.configuration}: utilisation {percent(utilisation.value)} %, slowdown "
        f"{multiplier_text(slowdown.centre, slowdown.low, slowdown.high)}"
    )
    point_values(axes, [100 * utilisation.value], [slowdown.centre], [text])


def _title(summary: ProfileSummary, levels: list[LevelSummary]) -> str:
    worst = max(levels, key=lambda one: one.utilisation.value or 0.0)
    slowdown = multiplier_text(worst.slowdown.centre, worst.slowdown.low, worst.slowdown.high)
    utilisation = percent(worst.utilisation.value)
    return f"{printable(summary.application)} takes {slowdown} as long at a utilisation of {utilisation} %"


def _caption(summary: ProfileSummary, levels: list[LevelSummary]) -> str:
    unknown = len(summary.levels) - len(levels)
    unknown_note = f" The utilisation of {count(unknown, 'more level')} is unknown." if unknown else ""
    few, many = (end(one.runs for one in levels) for end in (min, max))
    runs = count(few, "time") if few == many else f"{few} to {many} times"
    return _CAPTION.format(
        unknown_note=unknown_note, levels=count(len(levels), "congestion level"), runs=runs,
        alone=f"{summary.alone_runs:,}",
    )  # fmt: skip


def _description(one: LevelSummary) -> str:
    return f"At {percent(one.utilisation.value)} %: {factor(one.slowdown.centre)}."
