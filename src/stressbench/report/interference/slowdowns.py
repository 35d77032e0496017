"""Predicted slowdowns with their intervals: a line for each application and model."""

from collections.abc import Sequence

from stressbench.interference.corun_prediction import CoRunPrediction, ModelPrediction, VictimPrediction
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import canvas, finish, point_values
from stressbench.report.figures.impacts import ratio_axis
from stressbench.report.interference.predictions import bounds_text, slowdown_text
from stressbench.report.names import printable, short
from stressbench.report.palette import BACKGROUND, FOREGROUND, tone_of
from stressbench.report.plotting import Axes
from stressbench.report.units import count

_MAX_LINES = 80
_MARKS = "DosvP^X<"
_CAPTION = (
    "Marks: predicted time of an application beside all the others over its isolated time; right of the line at 1 it "
    "is slowed down. Bars: 95 % interval; an arrow means that there is no upper bound, because the load is beyond the "
    "highest congestion level. Colour and mark: model. n = {n}; nothing was measured at the same time.{truncation_note}"
)


def data_file(predictions: CoRunPrediction) -> DataFile:
    """One row per application and model; None is unknown."""
    return DataFile(
        name="predictions", head=("application", "beside", "model", "slowdown", "low", "high", "reason"),
        rows=tuple(
            (
                victim.application, "+".join(victim.beside), one.model, one.prediction.slowdown, one.prediction.low,
                one.prediction.high, one.prediction.reason,
            )
            for victim in predictions.applications
            for one in victim.foretold
        ),
    )  # fmt: skip


def draw(predictions: CoRunPrediction) -> Figure | None:
    """The figure; None without predictions. Applications without one appear only in the table."""
    models = list(dict.fromkeys(one.model for victim in predictions.applications for one in victim.foretold))
    lines = [
        (victim, one)
        for victim in predictions.applications
        for one in victim.foretold
        if one.prediction.slowdown is not None
    ]
    if not lines:
        return None
    shown = lines[:_MAX_LINES]
    fig = canvas(height_in=0.95 + (0.4 if len(models) == 1 else 0.27) * len(shown))
    axes: Axes = fig.subplots()
    for height, (victim, one) in enumerate(shown):
        _line(axes, one, height, order=models.index(one.model))
        text = f"{victim.application} by {one.model}: {_text(one)}"
        point_values(axes, [one.prediction.slowdown or 1.0], [height], [text])
    axes.set_yticks(range(len(shown)), [_label(victim, one, models) for victim, one in shown])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    ratio_axis(axes)
    axes.set_xlabel("predicted slowdown: contended / isolated time")
    models_note = f", by {models[0]}" if len(models) == 1 else f", by {len(models)} models"
    truncation_note = f" The first {_MAX_LINES} of {len(lines)} predictions." if len(lines) > _MAX_LINES else ""
    return finish(
        fig, key="predict-slowdowns", title=f"Predicted slowdown of each application next to the others{models_note}",
        caption=_CAPTION.format(n=count(len(predictions.applications), "application"), truncation_note=truncation_note),
        description="; ".join(f"{victim.application}, {one.model}: {_text(one)}" for victim, one in shown),
    )  # fmt: skip


def _line(axes: Axes, one: ModelPrediction, height: int, *, order: int) -> None:
    prediction, tone = one.prediction, tone_of(order).placeholder
    assert prediction.slowdown is not None
    if prediction.low is not None:
        end = prediction.slowdown if prediction.high is None else prediction.high
        axes.plot([prediction.low, end], [height, height], color=tone, linewidth=3.2, solid_capstyle="butt")
        if prediction.high is None:
            axes.annotate(
                "", xy=(prediction.slowdown, height), xytext=(18, 0), textcoords="offset points",
                arrowprops={"arrowstyle": "<-", "color": tone, "linewidth": 1.6},
            )  # fmt: skip
    mark = _MARKS[order % len(_MARKS)]
    axes.plot(prediction.slowdown, height, mark, color=tone, markersize=7, markeredgecolor=BACKGROUND.placeholder)
    axes.text(
        1.01, height, _text(one), transform=axes.get_yaxis_transform(), va="center", fontsize=8.5,
        color=FOREGROUND.placeholder,
    )  # fmt: skip


def _label(victim: VictimPrediction, one: ModelPrediction, models: Sequence[str]) -> str:
    name = short(printable(victim.application), max_length=24)
    return name if len(models) == 1 else f"{name}, {one.model}"


def _text(one: ModelPrediction) -> str:
    return f"{slowdown_text(one.prediction.slowdown)} {bounds_text(one.prediction)}"
