"""Documents of predictions: the slowdown of each application beside all the others."""

from collections.abc import Iterator

from stressbench.interference.corun_prediction import CoRunPrediction, ModelPrediction, VictimPrediction
from stressbench.interference.models import DEFAULT_MODEL
from stressbench.interference.prediction import Prediction
from stressbench.report.document import Cell, Document, Paragraph, Role, Section, Table, columns
from stressbench.report.names import printable
from stressbench.report.page_sections import page_section
from stressbench.report.units import MISSING, count, plain_ratio

_MAX_FINDINGS = 12
_KEY = (
    "slowdown: contended over isolated time, 1 is not slowed down; interval: 95 %; "
    "[1.400, ...) has no upper bound. Predicted from profiles of each application by itself, not measured."
)
FOOT = (
    "Slowdown: contended over isolated time; 1 is not slowed down. Predicted from profiles of each application by "
    "itself (active measurement); contention for memory, cores or files is not modelled."
)


def brief(predictions: CoRunPrediction) -> Document:
    """One row per application and model, with the reasons why a prediction is missing or doubtful."""
    models = list(dict.fromkeys(one.model for application in predictions.applications for one in application.foretold))
    model_note = f", by {models[0]}" if len(models) == 1 else ""
    several = len(models) > 1
    rows: list[tuple[Cell, ...]] = []
    groups: list[int] = []
    for application in predictions.applications:
        groups += [len(rows)] if several else []
        for number, one in enumerate(application.foretold):
            prediction = one.prediction
            rows.append((
                application.application if number == 0 else "", *((one.model,) if several else ()),
                slowdown_text(prediction.slowdown), bounds_text(prediction), prediction.reason or "",
            ))  # fmt: skip
    table = Table(
        columns=columns(
            texts=("application", *(("model",) if several else ())), numbers=("slowdown",),
            trailing_texts=("[95 %]", "reason or limits"),
        ),
        rows=tuple(rows), groups=tuple(groups),
    )  # fmt: skip
    title = (
        f"{predictions.machine}: each of {len(predictions.applications)} applications next to all others{model_note}"
    )
    section = Section(blocks=(table, Paragraph(text=_KEY, role=Role.key)))
    return Document(title=title, sections=(section,), value=predictions)


def page(predictions: CoRunPrediction) -> Document:
    """The HTML page: findings, the figure, and the table."""
    from stressbench.report.drawing import style  # figures take a second to import
    from stressbench.report.interference import slowdowns

    with style():
        figure = slowdowns.draw(predictions)
    title = (
        f"{count(len(predictions.applications), 'application')} beside each other on {printable(predictions.machine)}"
    )
    section = page_section(
        key="predict",
        title=title,
        findings=_findings(predictions),
        notes=(),
        figures=() if figure is None else (figure, slowdowns.data_file(predictions)),
        tables=(_table(predictions),),
    )
    lead = "Slowdown of each application while all of them run at the same time: predicted, not measured."
    return Document(title=title, lead=lead, sections=(section,), foot=FOOT)


def slowdown_text(slowdown: float | None) -> str:
    """Three decimals, or a dash."""
    return MISSING if slowdown is None else plain_ratio(slowdown)


def bounds_text(prediction: Prediction) -> str:
    """An interval `[1.400, 1.512]`; `[1.400, ...)` without an upper bound, a dash without bounds."""
    if prediction.low is None:
        return MISSING
    return (
        f"[{prediction.low:.3f}, ...)" if prediction.high is None else f"[{prediction.low:.3f}, {prediction.high:.3f}]"
    )


def _findings(predictions: CoRunPrediction) -> Iterator[str]:
    """One sentence per application, by one model each, the largest slowdown first."""
    selected = [(one, _selected(one)) for one in predictions.applications]
    ordered = sorted(selected, key=lambda pair: -(pair[1].prediction.slowdown or 0.0))
    for one, by_model in ordered[:_MAX_FINDINGS]:
        yield printable(_sentence(one, by_model))
    if (more := len(ordered) - _MAX_FINDINGS) > 0:
        yield f"The table has {more} more."


def _selected(one: VictimPrediction) -> ModelPrediction:
    """The result of the default model if it has a prediction, else of the first model with one, else of the first."""
    with_slowdown = [by_model for by_model in one.foretold if by_model.prediction.slowdown is not None]
    return next(
        (by_model for by_model in with_slowdown if by_model.model == DEFAULT_MODEL),
        (*with_slowdown, one.foretold[0])[0],
    )


def _sentence(one: VictimPrediction, by_model: ModelPrediction) -> str:
    beside = ", ".join(one.beside) if len(one.beside) <= 3 else f"{len(one.beside)} others"
    if by_model.prediction.slowdown is None:
        return f"{one.application} beside {beside}: no prediction, {by_model.prediction.reason}."
    slowdown = f"{slowdown_text(by_model.prediction.slowdown)}× {bounds_text(by_model.prediction)}"
    return f"{one.application} will take {slowdown} as long beside {beside}, by {by_model.model}."


def _table(predictions: CoRunPrediction) -> Table:
    return Table(
        title="Predicted slowdowns",
        columns=columns(
            texts=("application", "model", "reason or limits"), numbers=("slowdown", "95 % interval")
        ),
        rows=tuple(
            (victim.application, one.model, one.prediction.reason or "", slowdown_text(one.prediction.slowdown),
             bounds_text(one.prediction))
            for victim in predictions.applications
            for one in victim.foretold
        ),
        caption="[1.400, ...) has no upper bound.",
    )  # fmt: skip
