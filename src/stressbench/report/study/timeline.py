"""All runs of a study in the order of execution, to detect drift from run to run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stressbench.report.document import Figure, Numbers
from stressbench.report.drawing import bare_axes, canvas, finish
from stressbench.report.names import printable, short
from stressbench.report.palette import MUTED, PAPER, tone_of
from stressbench.report.plotting import Axes
from stressbench.report.study.evidence import Evidence, Moment
from stressbench.report.units import count
from stressbench.stats.trend import trend_of

MOST_JOBS = 12
_MOST_DRAWN = 1500
_FEWEST_FOR_TREND = 8
_P = 0.01
_CAPTION = (
    "One panel per job, one dot per run: its median isolated time divided by {level}. Runs of all cells are in random "
    "order, so that a level cloud is a stable machine; a slope or a jump is a change of the machine that affects all "
    "cells alike. A trend is reported where p is below 0.01 in Kendall's test."
)


@dataclass(frozen=True, kw_only=True)
class _Course:
    """A job over the study: runs in order, times relative to their level; `drift`: a significant trend as text."""

    job: str
    tone: int
    hours: tuple[float, ...]
    relative: tuple[float, ...]
    runs: tuple[str, ...]
    drift: str | None


def draw_timeline(evidence: Evidence) -> tuple[Figure, Numbers] | None:
    """The figure with its data; None if fewer than two runs have an isolated time."""
    if len({moment.run for moment in evidence.moments}) < 2:
        return None
    repeated = len({moment.run for moment in evidence.moments}) > len({moment.cell for moment in evidence.moments})
    courses = _courses(evidence.moments, repeated=repeated)
    shown = courses[:MOST_JOBS]
    drawn = canvas(height_in=0.55 + 0.95 * len(shown))
    panels = drawn.subplots(len(shown), squeeze=False, sharex=True)[:, 0]
    for axes, course in zip(panels, shown, strict=True):
        _panel(axes, course)
    panels[-1].set_xlabel("time since the start of the first run / h")
    drifts = [f"{printable(course.job)} {course.drift}" for course in courses if course.drift]
    finding = f"the machine drifted: {'; '.join(drifts)}" if drifts else "no significant drift between runs"
    level = "the median of its cell's runs" if repeated else "the job's median over all cells (each cell ran once)"
    figure = finish(
        drawn, key="study-timeline",
        title=f"{count(len({moment.run for moment in evidence.moments}), 'run')} in order: {finding}",
        caption=_CAPTION.format(level=level),
        description=" ".join(f"{printable(course.job)}: {course.drift or 'no trend'}." for course in courses),
    )  # fmt: skip
    head = ("run", "cell", "job", "after_first_s", "isolated_median_s")
    rows = tuple((one.run, one.cell, printable(one.job), one.at_s, one.isolated_s) for one in evidence.moments)
    return figure, Numbers(name="runs-in-order", head=head, rows=rows)


def _courses(moments: Sequence[Moment], *, repeated: bool) -> list[_Course]:
    levels = _levels(moments, repeated=repeated)
    jobs: dict[str, list[Moment]] = {}
    for moment in moments:
        jobs.setdefault(moment.job, []).append(moment)
    return [_course(mine, levels, repeated=repeated) for mine in jobs.values()]


def _course(mine: Sequence[Moment], levels: Mapping[tuple[str, str], float], *, repeated: bool) -> _Course:
    relative = tuple(one.isolated_s / (levels[one.job, one.cell if repeated else ""] or 1.0) for one in mine)
    return _Course(
        job=mine[0].job, tone=mine[0].tone, hours=tuple(one.at_s / 3600 for one in mine), relative=relative,
        runs=tuple(one.run for one in mine), drift=_drift(relative) if len(mine) >= _FEWEST_FOR_TREND else None,
    )  # fmt: skip


def _levels(moments: Sequence[Moment], *, repeated: bool) -> Mapping[tuple[str, str], float]:
    times: dict[tuple[str, str], list[float]] = {}
    for moment in moments:
        times.setdefault((moment.job, moment.cell if repeated else ""), []).append(moment.isolated_s)
    return {key: float(np.median(values)) for key, values in times.items()}


def _drift(relative: Sequence[float]) -> str | None:
    trend = trend_of(np.array(relative))
    if trend.p >= _P:
        return None
    return f"{'slower' if trend.change > 0 else 'faster'} by {abs(trend.change):.1%}".replace("%", " %")


def _panel(axes: Axes, course: _Course) -> None:
    every = -(-len(course.hours) // _MOST_DRAWN)
    colour = tone_of(course.tone).stand_in
    axes.plot(
        course.hours[::every], course.relative[::every], "o", color=colour, markersize=5,
        markeredgecolor=PAPER.stand_in, markeredgewidth=0.5,
    )  # fmt: skip
    axes.axhline(1.0, color=MUTED.stand_in, linewidth=0.8, zorder=0)
    axes.margins(y=0.25)
    bare_axes(axes, grid="y")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}×")
    axes.set_title(f"{short(course.job, longest=60)}, n = {count(len(course.hours), 'run')}", fontsize=9.5)
    axes.set_ylabel("relative time", fontsize=8.5)
