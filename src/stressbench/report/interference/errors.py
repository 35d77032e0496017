"""Errors of each model: boxes of absolute errors (Casas and Bronevetsky, Figure 9), and predicted against measured."""

from collections.abc import Sequence

import numpy as np

from stressbench.interference.validation import ModelScore, Validation
from stressbench.report.document import Figure
from stressbench.report.drawing import area_values, bare_axes, canvas, finish, point_values
from stressbench.report.figures.boxes import draw_box
from stressbench.report.palette import MUTED, tone_of
from stressbench.report.plotting import Axes, MaxNLocator
from stressbench.report.units import count, factor_and_interval

_PANELS_PER_ROW = 3
_MAX_PANELS = 12
_LOGARITHMIC_FROM = 20.0
_BOXES = (
    "Box: first to third quartile of the absolute errors; line: median; diamond: mean; whiskers: 5 and 95 %; dots: all "
    "co-runs, or the smallest and the largest error for more than 60. An error is predicted minus measured slowdown in "
    "percentage points of the isolated time. The best model comes first. n counts co-runs with a prediction, of {n}."
)
_SCATTER = (
    "Marks: co-runs, with measured and predicted slowdown; thin bars are 95 % intervals of both, where available. On "
    "the dotted line the prediction is exact, above it the slowdown is overestimated. n counts co-runs with a "
    "prediction by the model, of {n}.{truncation_note}"
)


def draw_boxes(validation: Validation) -> Figure | None:
    """A box for each model; None without any prediction."""
    known = [(number, one) for number, one in enumerate(validation.scores) if one.quartiles is not None]
    if not known:
        return None
    fig = canvas(height_in=0.8 + 0.42 * len(known))
    axes: Axes = fig.subplots()
    for height, (number, one) in enumerate(known):
        draw_box(axes, 100 * np.abs(_errors(one)), height=height, tone=tone_of(number), hatch="")
        low, high = np.percentile(100 * np.abs(_errors(one)), (5, 95)).tolist()
        area_values(axes, [(low, height - 0.28, high, height + 0.28)], [_description(one)])
    axes.set_yticks(range(len(known)), [f"{one.model}, n = {len(_errors(one)):,}" for _, one in known])
    axes.set_ylim(len(known) - 0.5, -0.5)
    axes.set_xlim(left=0)
    bare_axes(axes, grid="x")
    axes.set_xlabel("absolute error / points")
    best = known[0][1]
    assert best.mean_absolute_error is not None
    return finish(
        fig, key="judgement-boxes",
        title=f"{best.model} has the smallest mean error: {100 * best.mean_absolute_error:.1f} points"
        if len(known) > 1
        else f"{best.model} has a mean error of {100 * best.mean_absolute_error:.1f} points",
        caption=_BOXES.format(n=count(validation.co_runs, "co-run")),
        description=" ".join(map(_description, (one for _, one in known))),
    )  # fmt: skip


def draw_scatter(validation: Validation) -> Figure | None:
    """A panel for each model; None without any prediction."""
    known = [(number, one) for number, one in enumerate(validation.scores) if one.mean_absolute_error is not None]
    if not known:
        return None
    shown = known[:_MAX_PANELS]
    panels_per_row = min(_PANELS_PER_ROW, len(shown))
    fig = canvas(height_in=0.3 + 2.6 * -(-len(shown) // panels_per_row))
    panels = fig.subplots(
        -(-len(shown) // panels_per_row), panels_per_row, squeeze=False, sharex=True, sharey=True
    ).flat
    values = [
        value for _, one in shown for pair in one.pairs if pair.slowdown for value in (pair.measured, pair.slowdown)
    ]
    for axes, (number, one) in zip(panels, shown, strict=False):
        _panel(axes, one, number, limits=(min(values), max(values)))
    for axes in list(fig.axes)[len(shown) :]:
        axes.set_axis_off()
    fig.supxlabel("measured slowdown", fontsize=9.5, color=MUTED.placeholder)
    fig.supylabel("predicted slowdown", fontsize=9.5, color=MUTED.placeholder)
    truncation_note = f" The first {_MAX_PANELS} of {len(known)} models." if len(known) > _MAX_PANELS else ""
    return finish(
        fig, key="judgement-scatter", title="Predicted and measured slowdowns by model",
        caption=_SCATTER.format(n=count(validation.co_runs, "co-run"), truncation_note=truncation_note),
        description=" ".join(_overestimates_text(one) for _, one in shown),
    )  # fmt: skip


def _panel(axes: Axes, one: ModelScore, number: int, *, limits: tuple[float, float]) -> None:
    tone = tone_of(number).placeholder
    axes.axline(
        (limits[0], limits[0]),
        (limits[1] * 1.01, limits[1] * 1.01),
        color=MUTED.placeholder,
        linestyle=":",
        linewidth=1.2,
    )
    predicted = [(pair, pair.slowdown) for pair in one.pairs if pair.slowdown is not None]
    prediction_intervals = [
        (pair.measured, pair.low, pair.high) for pair, _ in predicted if pair.low is not None and pair.high is not None
    ]
    measured_intervals = [
        (slowdown, *pair.measured_interval) for pair, slowdown in predicted if pair.measured_interval is not None
    ]
    for lines, bars in ((axes.vlines, prediction_intervals), (axes.hlines, measured_intervals)):
        at, low, high = (list(column) for column in zip(*bars, strict=True)) if bars else ([], [], [])
        lines(at, low, high, colors=tone, linewidth=0.9, alpha=0.5)
    axes.plot(
        [pair.measured for pair, _ in predicted], [slowdown for _, slowdown in predicted], "o", color=tone,
        markersize=4, alpha=0.8, markeredgewidth=0,
    )  # fmt: skip
    texts = [
        f"{pair.victim} beside {'+'.join(pair.aggressors)}: measured "
        f"{factor_and_interval(pair.measured, *(pair.measured_interval or (None, None)))}, predicted "
        f"{factor_and_interval(slowdown, pair.low, pair.high)}"
        for pair, slowdown in predicted
    ]
    point_values(axes, [pair.measured for pair, _ in predicted], [slowdown for _, slowdown in predicted], texts)
    if limits[0] > 0 and limits[1] > _LOGARITHMIC_FROM * limits[0]:
        axes.set_xscale("log")
        axes.set_yscale("log")
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4))
        axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.set_title(f"{one.model}, n = {len(_errors(one)):,}", fontsize=9.5)
    bare_axes(axes)


def _errors(one: ModelScore) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([pair.error for pair in one.pairs if pair.error is not None], dtype=np.float64)


def _description(one: ModelScore) -> str:
    assert one.quartiles is not None
    return f"{one.model}: median {100 * one.quartiles.median:.1f}, largest {100 * one.quartiles.most:.1f} points."


def _overestimates_text(one: ModelScore) -> str:
    errors: Sequence[float] = _errors(one).tolist()
    return f"{one.model}: {sum(error > 0 for error in errors)} of {len(errors)} predictions are too high."
