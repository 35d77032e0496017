"""All runs of a study in the order of execution, to detect drift from run to run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import RatioFormatter, bare_axes, canvas, finish, point_values
from stressbench.report.names import printable, short
from stressbench.report.palette import BACKGROUND, MUTED, tone_of
from stressbench.report.plotting import Axes
from stressbench.report.study.page_data import StudyPageData, TimelinePoint
from stressbench.report.units import TimeUnit, count, elapsed_unit, factor
from stressbench.stats.trend import trend_of

MAX_JOBS = 12
_MAX_DRAWN = 1500
_MIN_RUNS_FOR_TREND = 8
_TREND_P = 0.01
_CAPTION = (
    "One panel per job, one dot per run: its median isolated time divided by {level}. Runs of all cells are in random "
    "order, so that a level cloud is a stable machine; a slope or a jump is a change of the machine that affects all "
    "cells alike. A trend is reported where p is below 0.01 in Kendall's test."
)


@dataclass(frozen=True, kw_only=True)
class _JobTimeline:
    """A job over the study: runs in order, times relative to their level; `drift`: a significant trend as text."""

    job: str
    tone: int
    times_s: tuple[float, ...]
    relative: tuple[float, ...]
    runs: tuple[str, ...]
    drift: str | None


def draw_timeline(page_data: StudyPageData) -> tuple[Figure, DataFile] | None:
    """The figure with its data; None if fewer than two runs have an isolated time."""
    if len({point.run for point in page_data.timeline_points}) < 2:
        return None
    repeated = len({point.run for point in page_data.timeline_points}) > len(
        {point.cell for point in page_data.timeline_points}
    )
    timelines = _job_timelines(page_data.timeline_points, repeated=repeated)
    shown = timelines[:MAX_JOBS]
    unit = elapsed_unit(point.at_s for point in page_data.timeline_points)
    fig = canvas(height_in=0.55 + 0.95 * len(shown))
    panels = fig.subplots(len(shown), squeeze=False, sharex=True)[:, 0]
    for axes, timeline in zip(panels, shown, strict=True):
        _panel(axes, timeline, unit=unit)
    panels[-1].set_xlabel(f"time since the start of the first run / {unit.name}")
    drifts = [f"{printable(timeline.job)} {timeline.drift}" for timeline in timelines if timeline.drift]
    finding = f"the machine drifted: {'; '.join(drifts)}" if drifts else "no significant drift between runs"
    level = "the median of its cell's runs" if repeated else "the job's median over all cells (each cell ran once)"
    figure = finish(
        fig, key="study-timeline",
        title=f"{count(len({point.run for point in page_data.timeline_points}), 'run')} in order: {finding}",
        caption=_CAPTION.format(level=level),
        description=" ".join(f"{printable(timeline.job)}: {timeline.drift or 'no trend'}." for timeline in timelines),
    )  # fmt: skip
    head = ("run", "cell", "job", "after_first_s", "isolated_median_s")
    rows = tuple((one.run, one.cell, printable(one.job), one.at_s, one.isolated_s) for one in page_data.timeline_points)
    return figure, DataFile(name="runs-in-order", head=head, rows=rows)


def _job_timelines(timeline_points: Sequence[TimelinePoint], *, repeated: bool) -> list[_JobTimeline]:
    levels = _levels(timeline_points, repeated=repeated)
    jobs: dict[str, list[TimelinePoint]] = {}
    for point in timeline_points:
        jobs.setdefault(point.job, []).append(point)
    return [_job_timeline(points, levels, repeated=repeated) for points in jobs.values()]


def _job_timeline(
    points: Sequence[TimelinePoint], levels: Mapping[tuple[str, str], float], *, repeated: bool
) -> _JobTimeline:
    relative = tuple(one.isolated_s / (levels[one.job, one.cell if repeated else ""] or 1.0) for one in points)
    return _JobTimeline(
        job=points[0].job, tone=points[0].tone, times_s=tuple(one.at_s for one in points),
        relative=relative, runs=tuple(one.run for one in points),
        drift=_drift(relative) if len(points) >= _MIN_RUNS_FOR_TREND else None,
    )  # fmt: skip


def _levels(timeline_points: Sequence[TimelinePoint], *, repeated: bool) -> Mapping[tuple[str, str], float]:
    times: dict[tuple[str, str], list[float]] = {}
    for point in timeline_points:
        times.setdefault((point.job, point.cell if repeated else ""), []).append(point.isolated_s)
    return {key: float(np.median(values)) for key, values in times.items()}


def _drift(relative: Sequence[float]) -> str | None:
    trend = trend_of(np.array(relative))
    if trend.p >= _TREND_P:
        return None
    return f"{'slower' if trend.change > 0 else 'faster'} by {abs(trend.change):.1%}".replace("%", " %")


def _panel(axes: Axes, timeline: _JobTimeline, *, unit: TimeUnit) -> None:
    step = -(-len(timeline.times_s) // _MAX_DRAWN)
    colour = tone_of(timeline.tone).placeholder
    times = [time_s * unit.per_second for time_s in timeline.times_s[::step]]
    axes.plot(
        times, timeline.relative[::step], "o", color=colour, markersize=5, markeredgecolor=BACKGROUND.placeholder,
        markeredgewidth=0.5,
    )  # fmt: skip
    shown = zip(timeline.runs[::step], timeline.relative[::step], strict=True)
    texts = [f"{run}: {factor(relative)}× the level" for run, relative in shown]
    point_values(axes, times, timeline.relative[::step], texts)
    axes.axhline(1.0, color=MUTED.placeholder, linewidth=0.8, zorder=0)
    axes.margins(y=0.25)
    bare_axes(axes, grid="y")
    axes.yaxis.set_major_formatter(RatioFormatter())
    axes.set_title(f"{short(timeline.job, max_length=60)}, n = {count(len(timeline.times_s), 'run')}", fontsize=9.5)
    axes.set_ylabel("relative time", fontsize=8.5)
