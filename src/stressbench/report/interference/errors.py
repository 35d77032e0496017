"""Errors of each model: boxes of absolute errors (Casas and Bronevetsky, Figure 9), and predicted against measured."""

from collections.abc import Sequence

import numpy as np

from stressbench.interference.validation import ModelScore, Validation
from stressbench.report.document import Figure
from stressbench.report.drawing import bare_axes, canvas, finish
from stressbench.report.figures.boxes import draw_box
from stressbench.report.palette import MUTED, tone_of
from stressbench.report.plotting import Axes, MaxNLocator
from stressbench.report.units import count

_ACROSS = 3
_MOST_PANELS = 12
_LOGARITHMIC_FROM = 20.0
_BOXES = (
    "Box: first to third quartile of the absolute errors; line: median; diamond: mean; whiskers: 5 and 95 %; dots: all "
    "co-runs, or the smallest and the largest error for more than 60. An error is predicted minus measured slowdown in "
    "percentage points of the isolated time. The best model comes first. n counts co-runs with a prediction, of {n}."
)
_SCATTER = (
    "Marks: co-runs, with measured and predicted slowdown; thin bars are 95 % intervals of both, where available. On "
    "the dotted line the prediction is exact, above it the slowdown is overestimated. n counts co-runs with a "
    "prediction by the model, of {n}.{left}"
)


def draw_boxes(found: Validation) -> Figure | None:
    """A box for each model; None without any prediction."""
    known = [(number, one) for number, one in enumerate(found.scores) if one.quartiles is not None]
    if not known:
        return None
    drawn = canvas(height_in=0.8 + 0.42 * len(known))
    axes: Axes = drawn.subplots()
    for height, (number, one) in enumerate(known):
        draw_box(axes, 100 * np.abs(_errors(one)), height=height, tone=tone_of(number), hatch="")
    axes.set_yticks(range(len(known)), [f"{one.model}, n = {len(_errors(one)):,}" for _, one in known])
    axes.set_ylim(len(known) - 0.5, -0.5)
    axes.set_xlim(left=0)
    bare_axes(axes, grid="x")
    axes.set_xlabel("absolute error / points")
    best = known[0][1]
    assert best.mean_absolute_error is not None
    return finish(
        drawn, key="judgement-boxes",
        title=f"{best.model} has the smallest mean error: {100 * best.mean_absolute_error:.1f} points"
        if len(known) > 1
        else f"{best.model} has a mean error of {100 * best.mean_absolute_error:.1f} points",
        caption=_BOXES.format(n=count(found.co_runs, "co-run")),
        description=" ".join(map(_described, (one for _, one in known))),
    )  # fmt: skip


def draw_scatter(found: Validation) -> Figure | None:
    """A panel for each model; None without any prediction."""
    known = [(number, one) for number, one in enumerate(found.scores) if one.mean_absolute_error is not None]
    if not known:
        return None
    shown = known[:_MOST_PANELS]
    across = min(_ACROSS, len(shown))
    drawn = canvas(height_in=0.3 + 2.6 * -(-len(shown) // across))
    panels = drawn.subplots(-(-len(shown) // across), across, squeeze=False, sharex=True, sharey=True).flat
    values = [
        value for _, one in shown for pair in one.pairs if pair.slowdown for value in (pair.measured, pair.slowdown)
    ]
    for axes, (number, one) in zip(panels, shown, strict=False):
        _panel(axes, one, number, ends=(min(values), max(values)))
    for axes in list(drawn.axes)[len(shown) :]:
        axes.set_axis_off()
    drawn.supxlabel("measured slowdown", fontsize=9.5, color=MUTED.placeholder)
    drawn.supylabel("predicted slowdown", fontsize=9.5, color=MUTED.placeholder)
    left = f" The first {_MOST_PANELS} of {len(known)} models." if len(known) > _MOST_PANELS else ""
    return finish(
        drawn, key="judgement-scatter", title="Predicted and measured slowdowns by model",
        caption=_SCATTER.format(n=count(found.co_runs, "co-run"), left=left),
        description=" ".join(_compared(one) for _, one in shown),
    )  # fmt: skip


def _panel(axes: Axes, one: ModelScore, number: int, *, ends: tuple[float, float]) -> None:
    tone = tone_of(number).placeholder
    axes.axline(
        (ends[0], ends[0]), (ends[1] * 1.01, ends[1] * 1.01), color=MUTED.placeholder, linestyle=":", linewidth=1.2
    )
    told = [(pair, pair.slowdown) for pair in one.pairs if pair.slowdown is not None]
    upright = [
        (pair.measured, pair.low, pair.high) for pair, _ in told if pair.low is not None and pair.high is not None
    ]
    level = [(slowdown, *pair.measured_interval) for pair, slowdown in told if pair.measured_interval is not None]
    for lines, bars in ((axes.vlines, upright), (axes.hlines, level)):
        at, low, high = (list(column) for column in zip(*bars, strict=True)) if bars else ([], [], [])
        lines(at, low, high, colors=tone, linewidth=0.9, alpha=0.5)
    axes.plot(
        [pair.measured for pair, _ in told], [slowdown for _, slowdown in told], "o", color=tone, markersize=4,
        alpha=0.8, markeredgewidth=0,
    )  # fmt: skip
    if ends[0] > 0 and ends[1] > _LOGARITHMIC_FROM * ends[0]:
        axes.set_xscale("log")
        axes.set_yscale("log")
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.set_title(f"{one.model}, n = {len(_errors(one)):,}", fontsize=9.5)
    bare_axes(axes)


def _errors(one: ModelScore) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([pair.error for pair in one.pairs if pair.error is not None], dtype=np.float64)


def _described(one: ModelScore) -> str:
    assert one.quartiles is not None
    return f"{one.model}: median {100 * one.quartiles.median:.1f}, largest {100 * one.quartiles.most:.1f} points."


def _compared(one: ModelScore) -> str:
    errors: Sequence[float] = _errors(one).tolist()
    return f"{one.model}: {sum(error > 0 for error in errors)} of {len(errors)} predictions are too high."
