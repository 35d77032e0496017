"""Isolated and contended times of each job: box plots, with a dot for each repetition if there are few."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from stressbench.formats.run import Kind
from stressbench.report.document import DataFile, Figure, Value
from stressbench.report.drawing import area_values, bare_axes, canvas, finish, number_ticks
from stressbench.report.names import printable, short
from stressbench.report.palette import BACKGROUND, FOREGROUND, ISOLATED, Tone, hatch_of, tone_of
from stressbench.report.plotting import Axes, PathPatch
from stressbench.report.run.section import RunSection, left_out, most_affected
from stressbench.report.units import time, time_unit
from stressbench.stats import JobSummary, Selection, select

ORDER = 20
MAX_SINGLE_POINTS = 60
MAX_PANELS = 12
_LOGARITHMIC_FROM = 8.0
_CAPTION = (
    "One panel per job, each with its own time axis. Grey: isolated; coloured and hatched: contended. Box: the middle "
    "half of the repetitions; line: median; diamond: mean; whiskers: 5th to 95th percentile; dots: every repetition "
    f"where n is at most {MAX_SINGLE_POINTS}, else the smallest and the largest. n counts measured repetitions; a "
    "repetition ends when the last rank of the job has finished."
)


def draw(section: RunSection) -> Figure | None:
    """One panel for each job that has samples; None without samples."""
    selections = [(job, select(section.run, job=job.job)) for job in section.jobs]
    with_samples = {
        job.job: (job, times) for job, times in selections if len(times.isolated_s) + len(times.contended_s)
    }
    if not with_samples:
        return None
    shown = most_affected([job for job, _ in with_samples.values()], most=MAX_PANELS)
    fig = canvas(height_in=0.3 + 1.2 * len(shown))
    for axes, job in zip(fig.subplots(len(shown), squeeze=False)[:, 0], shown, strict=True):
        _panel(axes, *with_samples[job.job])
    return finish(
        fig,
        key=f"{section.key}-boxes",
        title="Repetition times, isolated and contended",
        caption=_CAPTION + left_out(shown=len(shown), total=len(with_samples)),
        description=" ".join(_description(job) for job in shown),
    )


BOX_HEAD = (
    "kind", "n", "min_s", "p5_s", "p25_s", "median_s", "mean_s", "p75_s", "p95_s", "max_s", "samples_s",
)  # fmt: skip


def data_file(section: RunSection) -> DataFile:
    """Two rows per job, isolated and contended: the statistics of its boxes."""
    return DataFile(
        name="times", head=("job", *BOX_HEAD),
        rows=tuple(
            (job.name, *row)
            for job in section.jobs
            for times in (select(section.run, job=job.job),)
            for row in box_rows(times.isolated_s, times.contended_s)
        ),
    )  # fmt: skip


def box_rows(isolated_s: NDArray[np.float64], contended_s: NDArray[np.float64]) -> Iterator[tuple[Value, ...]]:
    """A row of `BOX_HEAD` for each kind that has samples; all samples are included if each is drawn as a dot."""
    for kind, seconds in ((Kind.isolated, isolated_s), (Kind.contended, contended_s)):
        if len(seconds):
            low, p5, p25, middle, p75, p95, high = np.percentile(seconds, (0, 5, 25, 50, 75, 95, 100)).tolist()
            all_samples = " ".join(map(repr, seconds.tolist())) if len(seconds) <= MAX_SINGLE_POINTS else None
            yield (kind.value, len(seconds), low, p5, p25, middle, float(seconds.mean()), p75, p95, high, all_samples)


def _description(job: JobSummary) -> str:
    kinds = (("isolated", job.timing.isolated_s), ("contended", job.timing.contended_s))
    parts = [f"{name} median {time(spread.median)}, n = {spread.count}" for name, spread in kinds if spread is not None]
    return f"{printable(job.name)}: {'; '.join(parts)}."


def _panel(axes: Axes, job: JobSummary, times: Selection) -> None:
    kinds = [
        ("contended", times.contended_s, tone_of(job.job), hatch_of(job.job)),
        ("isolated", times.isolated_s, ISOLATED, ""),
    ]
    with_samples = [kind for kind in kinds if len(kind[1])]
    unit = time_unit(float(kind[1].max()) for kind in with_samples)
    for height, (name, seconds, tone, hatch) in enumerate(with_samples):
        draw_box(axes, seconds * unit.per_second, height=height, tone=tone, hatch=hatch)
        box_value(axes, seconds, name, per_second=unit.per_second, height=height)
    axes.set_yticks(range(len(with_samples)), [f"{name}, n = {len(seconds):,}" for name, seconds, _, _ in with_samples])
    axes.set_ylim(-0.5, len(with_samples) - 0.5)
    bare_axes(axes, grid="x")
    axes.set_title(short(job.name, max_length=60))
    scale_times(axes, np.concatenate([kind[1] for kind in with_samples]), unit.name)


def scale_times(axes: Axes, seconds: NDArray[np.float64], unit: str) -> None:
    """Set up the time axis, logarithmic if the times (s) span a wide range."""
    low = float(seconds.min())
    if low > 0 and float(seconds.max()) > _LOGARITHMIC_FROM * low:
        axes.set_xscale("log")
        number_ticks(axes.xaxis, low=low, high=float(seconds.max()))
        axes.minorticks_off()
        axes.set_xlabel(f"time of a repetition / {unit} (logarithmic)")
    else:
        axes.set_xlabel(f"time of a repetition / {unit}")


def draw_box(
    axes: Axes, values: NDArray[np.float64], *, height: float, tone: Tone, hatch: str, width: float = 0.56
) -> None:
    """Draw one box at `height`, `width` across, from at least one value in the unit of the axis."""
    ink = FOREGROUND.placeholder
    box = axes.boxplot(
        values,
        positions=[height],
        widths=width,
        orientation="horizontal",
        whis=(5, 95),
        showfliers=False,
        showmeans=True,
        patch_artist=True,
        medianprops={"color": ink, "linewidth": 1.8},
        meanprops={"marker": "D", "markerfacecolor": BACKGROUND.placeholder, "markeredgecolor": ink, "markersize": 5},
        whiskerprops={"color": ink, "linewidth": 0.9},
        capprops={"color": ink, "linewidth": 0.9},
    )
    for patch in box["boxes"]:
        patch.set(facecolor=(*_rgb(tone), 0.3), edgecolor="none")
        outline = PathPatch(patch.get_path(), facecolor="none", edgecolor=tone.placeholder, hatch=hatch, linewidth=1.2)
        axes.add_patch(outline)  # separate from the face, which is lighter
    shown = values if len(values) <= MAX_SINGLE_POINTS else np.array([values.min(), values.max()])
    # Deterministic jitter: the same file always gives the same figure.
    offsets = 0.34 * width * np.sin(2.4 * np.arange(len(shown)))
    axes.plot(shown, height + offsets, "o", color=ink, markersize=2.4, alpha=0.6, markeredgewidth=0, zorder=3)


def box_value(
    axes: Axes, seconds: NDArray[np.float64], name: str, *, per_second: float, height: float, width: float = 0.56
) -> None:
    """The value of a box drawn from at least one time (s), on an axis with `per_second` units per second."""
    p5, p25, middle, p75, p95 = np.percentile(seconds, (5, 25, 50, 75, 95)).tolist()
    text = (
        f"{name}: median {time(middle)}, half within {time(p25)} to {time(p75)}, 5th to 95th percentile {time(p5)} to "
        f"{time(p95)}, n = {len(seconds):,}"
    )
    box = (p5 * per_second, height - width / 2, p95 * per_second, height + width / 2)
    area_values(axes, [box], [text])


def _rgb(tone: Tone) -> tuple[float, float, float]:
    red, green, blue = (int(tone.placeholder[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return red, green, blue
