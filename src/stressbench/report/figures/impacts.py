"""Congestion impact of each job with its interval: a forest plot."""

from dataclasses import dataclass

import numpy as np

from stressbench.formats.run import Role
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import RatioFormatter, bare_axes, canvas, finish, point_values
from stressbench.report.names import short
from stressbench.report.palette import BACKGROUND, FOREGROUND, MUTED, Tone, tone_of
from stressbench.report.plotting import Axes, MaxNLocator, NullFormatter
from stressbench.report.run.section import RunSection, left_out, most_affected
from stressbench.report.thinning import extreme_indices
from stressbench.report.units import count, factor, factor_and_interval
from stressbench.stats import Impact, RoundMedian
from stressbench.stats.impact import pair_blocks

ORDER = 10
MAX_POINTS = 2000
MAX_ROWS = 60
_MIN_POINTS = 20
_LOGARITHMIC_FROM = 4.0
_CAPTION = (
    "Diamonds: congestion impact of a job, contended over isolated time; right of the line at 1 the job is slowed "
    "down. Bars: 95 % confidence interval; where it includes 1, no slowdown is shown. Small dots: blocks, each the "
    "ratio of a contended to an isolated round that were run one shortly after the other; of many dots only the "
    "outermost are drawn."
)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the plot."""

    label: str
    tone: Tone
    impact: Impact
    rounds: tuple[RoundMedian, ...]


def draw(section: RunSection) -> Figure | None:
    """Forest plot of the measured jobs of one run; None if no ratio is known."""
    measured = [job for job in section.jobs if job.role is Role.measured]
    shown = most_affected(measured, most=MAX_ROWS)
    rows = tuple(
        Row(label=short(job.name), tone=tone_of(job.job), impact=job.timing.impact, rounds=job.timing.rounds)
        for job in shown
    )
    note = left_out(shown=len(shown), total=len(measured))
    return draw_rows(rows, key=f"{section.key}-impacts", title="Congestion impact of each job", note=note)


def data_file(section: RunSection) -> DataFile:
    """One row per block of each job that has an impact, with this impact."""
    head = ("job", "impact", "impact_low", "impact_high", "block", "block_impact")
    return DataFile(
        name="impacts", head=head,
        rows=tuple(
            (job.name, job.timing.impact.ratio, job.timing.impact.low, job.timing.impact.high, number, ratio)
            for job in section.jobs
            if job.timing.impact.ratio is not None
            for number, ratio in enumerate(np.exp(pair_blocks(job.timing.rounds).log_ratios).tolist())
        ),
    )  # fmt: skip


def draw_rows(rows: tuple[Row, ...], *, key: str, title: str, note: str = "") -> Figure | None:
    """Forest plot of any rows, of one run or several; None if no ratio is known. `note` ends the caption."""
    if all(row.impact.ratio is None for row in rows):
        return None
    fig = canvas(height_in=0.95 + 0.42 * len(rows))
    axes = fig.subplots()
    max_points = max(_MIN_POINTS, MAX_POINTS // len(rows))
    for line, row in enumerate(rows):
        _draw_row(axes, row, line, max_points=max_points)
    _finish_axes(axes, rows)
    impacts_text = "; ".join(f"{row.label} {_impact_text(row.impact)}" for row in rows)
    description = f"Congestion impact with 95 % confidence interval: {impacts_text}."
    return finish(fig, key=key, title=title, caption=_CAPTION + note, description=description)


def _draw_row(axes: Axes, row: Row, line: int, *, max_points: int) -> None:
    impact, colour = row.impact, row.tone.placeholder
    text = impact.reason or ""
    if impact.ratio is not None:
        ratios = np.exp(pair_blocks(row.rounds).log_ratios)
        offsets = np.linspace(-0.13, 0.13, len(ratios)) if len(ratios) > 1 else np.zeros(len(ratios))
        shown = extreme_indices(ratios, max_count=max_points)
        axes.plot(
            ratios[shown],
            line + 0.02 + offsets[shown],
            "o",
            color=colour,
            markersize=2.6,
            alpha=0.45,
            markeredgewidth=0,
        )
        texts = [f"{row.label}, block {number}: {factor(ratios[number])}×" for number in shown.tolist()]
        point_values(axes, ratios[shown].tolist(), (line + 0.02 + offsets[shown]).tolist(), texts)
        if impact.low is not None and impact.high is not None:
            axes.plot([impact.low, impact.high], [line, line], color=colour, linewidth=3.2, solid_capstyle="butt")
        axes.plot(impact.ratio, line, "D", color=colour, markersize=7.5, markeredgecolor=BACKGROUND.placeholder)
        text = f"{_impact_text(impact)}   n = {count(len(ratios), 'block')}"
        point_values(axes, [impact.ratio], [line], [f"{row.label}: {_impact_text(impact)}"])
    axes.text(
        1.01, line, text, transform=axes.get_yaxis_transform(), va="center", fontsize=9, color=FOREGROUND.placeholder
    )


def _impact_text(impact: Impact) -> str:
    return factor_and_interval(impact.ratio, impact.low, impact.high)


def _finish_axes(axes: Axes, rows: tuple[Row, ...]) -> None:
    axes.set_yticks(range(len(rows)), [row.label for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    ratio_axis(axes)


def ratio_axis(axes: Axes) -> None:
    """Set up the impact axis with a line at 1, logarithmic if the data span a wide range."""
    axes.axvline(1.0, color=MUTED.placeholder, linewidth=1, zorder=0)
    bare_axes(axes, grid="x")
    low, high = axes.get_xlim()
    if high > _LOGARITHMIC_FROM * max(low, 0.25):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_xlim(min(low, 0.95), max(high, 1.05))
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(RatioFormatter())
    axes.set_xlabel("congestion impact (contended / isolated time)")
