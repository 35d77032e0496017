"""Documents of predictions: the slowdown of each application beside all the others."""

from collections.abc import Iterator

from stressbench.interference.corun_prediction import CoRunPrediction, ModelPrediction, VictimPrediction
from stressbench.interference.models import DEFAULT_MODEL
from stressbench.interference.prediction import Prediction
from stressbench.report.document import Cell, Document, Paragraph, Role, Section, Table, columns
from stressbench.report.names import printable
from stressbench.report.page_sections import page_section
from stressbench.report.units import MISSING, count, plain_ratio

_MOST_FINDINGS = 12
_KEY = (
    "slow-down: time beside the others over time alone, 1 is not slowed; interval: 95 %; "
    "[1.400, ...) has no upper bound. Predicted from profiles of each alone, not measured."
)
FOOT = (
    "Slowdown: contended over isolated time; 1 is not slowed down. Predicted from profiles of each application by "
    "itself (active measurement); contention for memory, cores or files is not modelled."
)


def brief(found: CoRunPrediction) -> Document:
    """One row per application and model, with the reasons why a prediction is missing or doubtful."""
    models = list(dict.fromkeys(one.model for application in found.applications for one in application.foretold))
    by = f", by {models[0]}" if len(models) == 1 else ""
    several = len(models) > 1
    rows: list[tuple[Cell, ...]] = []
    groups: list[int] = []
    for application in found.applications:
        groups += [len(rows)] if several else []
        for number, one in enumerate(application.foretold):
            said = one.prediction
            rows.append((
                application.application if number == 0 else "", *((one.model,) if several else ()),
                slowdown_text(said.slowdown), bounds_text(said), said.reason or "",
            ))  # fmt: skip
    table = Table(
        columns=columns(
            texts=("application", *(("model",) if several else ())), numbers=("slow-down",),
            last=("[95 %]", "cannot tell, or doubts"),
        ),
        rows=tuple(rows), groups=tuple(groups),
    )  # fmt: skip
    title = f"{found.machine}: each of {len(found.applications)} applications beside all the others{by}"
    section = Section(blocks=(table, Paragraph(text=_KEY, role=Role.key)))
    return Document(title=title, sections=(section,), value=found)


def page(found: CoRunPrediction) -> Document:
    """The HTML page: findings, the figure, and the table."""
    from stressbench.report.drawing import style  # figures take a second to import
    from stressbench.report.interference import slowdowns

    with style():
        figure = slowdowns.draw(found)
    title = f"{count(len(found.applications), 'application')} beside each other on {printable(found.machine)}"
    section = page_section(
        key="predict",
        title=title,
        findings=_findings(found),
        notes=(),
        figures=() if figure is None else (figure,),
        tables=(_table(found),),
    )
    lead = "Slowdown of each application while all of them run at the same time: predicted, not measured."
    return Document(title=title, lead=lead, sections=(section,), foot=FOOT)


def slowdown_text(slowdown: float | None) -> str:
    """Three decimals, or a dash."""
    return MISSING if slowdown is None else plain_ratio(slowdown)


def bounds_text(found: Prediction) -> str:
    """An interval `[1.400, 1.512]`; `[1.400, ...)` without an upper bound, a dash without bounds."""
    if found.low is None:
        return MISSING
    return f"[{found.low:.3f}, ...)" if found.high is None else f"[{found.low:.3f}, {found.high:.3f}]"


def _findings(found: CoRunPrediction) -> Iterator[str]:
    """One sentence per application, by one model each, the largest slowdown first."""
    chosen = [(one, _chosen(one)) for one in found.applications]
    ordered = sorted(chosen, key=lambda both: -(both[1].prediction.slowdown or 0.0))
    for one, said in ordered[:_MOST_FINDINGS]:
        yield printable(_sentence(one, said))
    if (more := len(ordered) - _MOST_FINDINGS) > 0:
        yield f"The table has {more} more."


def _chosen(one: VictimPrediction) -> ModelPrediction:
    """The result of the default model if it has a prediction, else of the first model with one, else of the first."""
    telling = [said for said in one.foretold if said.prediction.slowdown is not None]
    return next((said for said in telling if said.model == DEFAULT_MODEL), (*telling, one.foretold[0])[0])


def _sentence(one: VictimPrediction, said: ModelPrediction) -> str:
    beside = ", ".join(one.beside) if len(one.beside) <= 3 else f"{len(one.beside)} others"
    if said.prediction.slowdown is None:
        return f"{one.application} beside {beside}: no prediction, {said.prediction.reason}."
    shown = f"{slowdown_text(said.prediction.slowdown)}× {bounds_text(said.prediction)}"
    return f"{one.application} will take {shown} as long beside {beside}, by {said.model}."


def _table(found: CoRunPrediction) -> Table:
    return Table(
        title="Predicted slowdowns",
        columns=columns(
            texts=("application", "model", "reason or limits"), numbers=("slowdown", "95 % interval")
        ),
        rows=tuple(
            (who.application, one.model, one.prediction.reason or "", slowdown_text(one.prediction.slowdown),
             bounds_text(one.prediction))
            for who in found.applications
            for one in who.foretold
        ),
        caption="[1.400, ...) has no upper bound.",
    )  # fmt: skip
