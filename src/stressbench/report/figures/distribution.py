"""Distributions of repetition times and their tails: an isolated and a contended curve for each job."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run import Kind
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import canvas, finish, point_values
from stressbench.report.figures.tails import MAX_PANELS, scale_shares
from stressbench.report.names import printable, short
from stressbench.report.palette import BACKGROUND, ISOLATED, Tone, tone_of
from stressbench.report.plotting import Axes
from stressbench.report.run.section import RunSection
from stressbench.report.run.sentences import tail_finding
from stressbench.report.units import TimeUnit, time, time_unit
from stressbench.stats import JobSummary, Percentile, Selection, select

ORDER = 25
MAX_POINTS = 200
Floats = NDArray[np.float64]
_CAPTION = (
    "The height of a line at a time is the share of repetitions that took longer: where it crosses 1 % is percentile "
    "99, at 0.1 % percentile 99.9. Dashed and grey: isolated; coloured: contended. A gap that widens towards the "
    "bottom is congestion that affects few repetitions, but strongly. Marks are percentiles 50, 95, 99 and 99.9, bars "
    "their 95 % intervals; a mark without a bar has too few repetitions for an interval. n counts measured "
    "repetitions; a repetition ends when the last rank of the job has finished."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class TimeCurve:
    """A curve: its values (s), shape (n,), its style, and the percentiles to mark."""

    name: str
    values_s: Floats
    tone: Tone
    dash: str
    marks: Sequence[Percentile | None]


def draw(section: RunSection) -> Figure | None:
    """A panel for each job with samples, two side by side; None without samples."""
    with_samples = [
        (job, times) for job, times in _selections(section) if len(times.isolated_s) + len(times.contended_s)
    ]
    if not with_samples:
        return None
    shown = with_samples[:MAX_PANELS]
    fig = canvas(height_in=0.2 + 2.7 * ((len(shown) + 1) // 2))
    panels = fig.subplots((len(shown) + 1) // 2, min(2, len(shown)), squeeze=False, sharey=True).flat
    for axes, (job, times) in zip(panels, shown, strict=False):
        _plot(axes, job, times)
    for axes in list(fig.axes)[len(shown) :]:
        axes.set_axis_off()
    left_out = (
        f" The first {MAX_PANELS} of {len(with_samples)} jobs are drawn." if len(with_samples) > len(shown) else ""
    )
    return finish(
        fig, key=f"{section.key}-distribution", title=tail_finding(section), caption=_CAPTION + left_out,
        description=" ".join(_description(job) for job, _ in shown),
    )  # fmt: skip


def data_file(section: RunSection) -> DataFile:
    """Points of the curves: the number of repetitions `n`, and the share of them that took longer than `time_s`."""
    return DataFile(
        name="distribution", head=("job", "kind", "n", "time_s", "share_longer"),
        rows=tuple(
            (job.name, kind.value, len(seconds), time_s, share)
            for job, times in _selections(section)
            for kind, seconds in ((Kind.isolated, times.isolated_s), (Kind.contended, times.contended_s))
            if len(seconds)
            for time_s, share in zip(*(column.tolist() for column in curve_of(seconds)), strict=True)
        ),
    )  # fmt: skip


def curve_of(values: Floats, *, max_points: int = MAX_POINTS) -> tuple[Floats, Floats]:
    """Values in ascending order, and the share of `values` that is larger than each: at most `max_points` points.

    If there are more values, half of the points are evenly spaced in rank and half get denser towards the maximum.
    """
    ordered = np.sort(values)
    last = len(ordered) - 1
    if len(ordered) <= max_points:
        indices = np.arange(len(ordered))
    else:
        evenly_spaced = np.linspace(0, last, max_points // 2)
        dense_at_maximum = last + 1 - np.geomspace(1, last + 1, max_points // 2)
        indices = np.unique(np.rint(np.concatenate([evenly_spaced, dense_at_maximum])).astype(np.intp))
    return ordered[indices], (last - indices) / len(ordered)


def _selections(section: RunSection) -> Iterator[tuple[JobSummary, Selection]]:
    return ((job, select(section.run, job=job.job)) for job in section.jobs)


def _plot(axes: Axes, job: JobSummary, times: Selection) -> None:
    tails = job.timing.tails
    sides = (
        TimeCurve(
            name="isolated", values_s=times.isolated_s, tone=ISOLATED, dash="--", marks=[one.isolated for one in tails]
        ),
        TimeCurve(
            name="contended", values_s=times.contended_s, tone=tone_of(job.job), dash="-",
            marks=[one.contended for one in tails],
        ),
    )  # fmt: skip
    unit = plot_curves(axes, sides)
    axes.set_title(short(job.name, max_length=36), fontsize=9.5)
    axes.set_xlabel(f"time of a repetition / {unit.name}")


def plot_curves(axes: Axes, sides: Sequence[TimeCurve]) -> TimeUnit:
    """Draw a curve for each side with values (at least one must have some) and return the unit of the time axis."""
    present = [side for side in sides if len(side.values_s)]
    unit = time_unit(float(np.median(side.values_s)) for side in present)
    for side in present:
        at, longer = curve_of(side.values_s)
        axes.step(
            np.concatenate([at[:1], at]) * unit.per_second,
            np.concatenate([[1.0], np.maximum(longer, 0.5 / len(side.values_s))]),
            where="post", linestyle=side.dash, color=side.tone.placeholder,
            label=f"{side.name}, n = {len(side.values_s):,}",
        )  # fmt: skip
        for percentile in side.marks:
            _mark(axes, percentile, side, unit)
    low, high = (float(end([end(side.values_s) for side in present])) for end in (np.min, np.max))
    scale_shares(axes, low=low, high=high)
    axes.legend(fontsize=8, loc="best")
    return unit


def _mark(axes: Axes, tail: Percentile | None, side: TimeCurve, unit: TimeUnit) -> None:
    """Mark a percentile with its interval, if there are enough repetitions to reach it."""
    if tail is None or (1 - tail.share) * tail.count < 1:
        return
    height, tone = 1 - tail.share, side.tone
    text = f"{side.name}: percentile {100 * tail.share:g} is {time(tail.value_s)}"
    if tail.low_s is not None and tail.high_s is not None:
        ends = [tail.low_s * unit.per_second, tail.high_s * unit.per_second]
        axes.plot(ends, [height, height], color=tone.placeholder, linewidth=3.2, alpha=0.6, solid_capstyle="butt")
        text += f" [{time(tail.low_s)}, {time(tail.high_s)}]"
    axes.plot(
        tail.value_s * unit.per_second,
        height,
        "D",
        color=tone.placeholder,
        markersize=5,
        markeredgecolor=BACKGROUND.placeholder,
    )
    point_values(axes, [tail.value_s * unit.per_second], [height], [text])


def _description(job: JobSummary) -> str:
    tails = [tail for tail in job.timing.tails if tail.share in (0.5, 0.99)]
    kinds = (("isolated", [tail.isolated for tail in tails]), ("contended", [tail.contended for tail in tails]))
    parts = [
        f"{name} " + ", ".join(f"{100 * one.share:g} % within {time(one.value_s)}" for one in percentiles if one)
        for name, percentiles in kinds
        if any(percentiles)
    ]
    return f"{printable(job.name)}: {'; '.join(parts)}."
