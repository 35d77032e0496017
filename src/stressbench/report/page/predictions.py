"""The pages of predictions: each application beside the others, models against co-runs, who should share a switch."""

from collections.abc import Iterable, Iterator

from stressbench.interference.corun_prediction import CoRunPrediction, ModelPrediction, VictimPrediction
from stressbench.interference.models import DEFAULT_MODEL
from stressbench.interference.placement_plan import PlacementPlan
from stressbench.interference.validation import Validation
from stressbench.report.drawing import style
from stressbench.report.judgement_csv import PAIRS_HEAD, pairs_rows
from stressbench.report.leaf import Sheet as Words
from stressbench.report.page.plain import Chapter, Plain, render_plain, tables_of
from stressbench.report.page.sheets import sheet
from stressbench.report.section import printable
from stressbench.report.sensitivity.errors import draw_boxes, draw_scatter
from stressbench.report.sensitivity.slowdowns import draw as draw_slowdowns
from stressbench.report.terminal.judgement_table import (
    PAIR_HEADS,
    SCORE_HEADS,
    key_of,
    pair_rows,
    said_left_out,
    said_reasons,
    score_rows,
)
from stressbench.report.terminal.prediction_table import bounds_text, slowdown_text
from stressbench.report.terminal.seating_words import said_cost, said_group, said_kept_apart
from stressbench.report.units import count

_MOST_PAIRS = 400
_MOST_LEFT_OUT = 20
_MOST_FINDINGS = 12
_FOOT = (
    "Slow-down: time beside the others over time alone; 1 is not slowed. Predicted from profiles of each application "
    "alone, after active measurement; loads that share memory, cores or files are no part of it."
)


def render_together(found: CoRunPrediction) -> str:
    """The page of `predict` as HTML text."""
    with style():
        figure = draw_slowdowns(found)
    title = f"{count(len(found.applications), 'application')} beside each other on {printable(found.machine)}"
    chapter = Chapter(
        key="predict",
        title=title,
        findings=tuple(_foretold(found)),
        notes=(),
        figures=() if figure is None else ((figure, None),),
        tables=tables_of((_slowdowns(found),), key="predict"),
    )
    lead = "How much each will be slowed while all of them run at once: predicted, not measured."
    return render_plain(Plain(title=title, lead=lead, chapters=(chapter,), foot=_FOOT))


def _foretold(found: CoRunPrediction) -> Iterator[str]:
    """By one model each, the hardest hit first."""
    chosen = [(one, _chosen(one)) for one in found.applications]
    ordered = sorted(chosen, key=lambda both: -(both[1].prediction.slowdown or 0.0))
    for one, said in ordered[:_MOST_FINDINGS]:
        yield printable(_sentence(one, said))
    if (more := len(ordered) - _MOST_FINDINGS) > 0:
        yield f"The table has {more} more."


def _chosen(one: VictimPrediction) -> ModelPrediction:
    """What the best model says, where it was asked and can tell; else the first that can."""
    telling = [said for said in one.foretold if said.prediction.slowdown is not None]
    return next((said for said in telling if said.model == DEFAULT_MODEL), (*telling, one.foretold[0])[0])


def _sentence(one: VictimPrediction, said: ModelPrediction) -> str:
    beside = ", ".join(one.beside) if len(one.beside) <= 3 else f"{len(one.beside)} others"
    if said.prediction.slowdown is None:
        return f"{one.application} beside {beside}: cannot tell, {said.prediction.reason}."
    shown = f"{slowdown_text(said.prediction.slowdown)}× {bounds_text(said.prediction)}"
    return f"{one.application} will take {shown} as long beside {beside}, by {said.model}."


def _slowdowns(found: CoRunPrediction) -> Words:
    return Words(
        title="Predicted slow-downs",
        words=3,
        head=("application", "model", "cannot tell, or doubts", "slow-down", "95 % interval"),
        body=tuple(
            (who.application, one.model, one.prediction.reason or "", slowdown_text(one.prediction.slowdown),
             bounds_text(one.prediction))
            for who in found.applications
            for one in who.foretold
        ),
        reading="[1.400, ...) has no upper bound.",
    )  # fmt: skip


def render_judgement(found: Validation) -> str:
    """The page of `predict evaluate` as HTML text."""
    with style():
        drawn = [figure for figure in (draw_boxes(found), draw_scatter(found)) if figure is not None]
    numbers = sheet("predictions.csv", PAIRS_HEAD, pairs_rows(found))
    models, co_runs = count(len(found.scores), "model"), count(found.co_runs, "co-run")
    title = f"{models} against {co_runs} on {printable(found.machine)}"
    chapter = Chapter(
        key="judgement",
        title=title,
        findings=tuple(_judged(found)),
        notes=tuple(map(printable, _doubts(found))),
        figures=tuple((figure, numbers if figure is drawn[-1] else None) for figure in drawn),
        tables=tables_of(_judgement_sheets(found), key="judgement"),
    )
    lead = "How far predictions from profiles of each application alone were right about co-runs that were measured."
    return render_plain(Plain(title=title, lead=lead, chapters=(chapter,), foot=_FOOT))


def _judged(found: Validation) -> Iterator[str]:
    best = found.scores[0]
    if best.mean_absolute_error is None or best.within_10_points is None:
        yield "No model could tell of any co-run."
        return
    yield (
        f"{best.model} errs by {100 * best.mean_absolute_error:.1f} points on average, and is within 10 points of "
        f"{100 * best.within_10_points:.0f} % of the co-runs."
    )
    if best.coverage is not None:
        yield (
            f"Of its {count(best.intervals, 'interval')} {100 * best.coverage:.0f} % hold what was measured; "
            "95 % should."
        )


def _doubts(found: Validation) -> Iterator[str]:
    yield from (f"{sentence}." for sentence in said_reasons(found))
    yield from (f"{said_left_out(one)}." for one in found.left_out[:_MOST_LEFT_OUT])
    if (more := len(found.left_out) - _MOST_LEFT_OUT) > 0:
        yield f"And {more} more are left out."


def _judgement_sheets(found: Validation) -> Iterable[Words]:
    reading = " ".join(key_of(found))
    yield Words(title="Models", words=1, head=SCORE_HEADS, body=tuple(score_rows(found)), reading=reading)
    rows = tuple(pair_rows(found))
    left = f" The first {_MOST_PAIRS} of {len(rows):,}." if len(rows) > _MOST_PAIRS else ""
    yield Words(
        title="Co-runs", words=2, head=(*PAIR_HEADS, *(one.model for one in found.scores)), body=rows[:_MOST_PAIRS],
        reading=f"Slow-downs: measured, and what each model says.{left}",
    )  # fmt: skip


def render_seating(found: PlacementPlan) -> str:
    """The page of `predict place` as HTML text."""
    seats = sum(len(group) for group in found.groups)
    switches = "1 switch" if found.switches == 1 else f"{found.switches} switches"
    title = f"{count(seats, 'application')} on {switches} of {printable(found.machine)}"
    chapter = Chapter(
        key="place",
        title=title,
        findings=(said_cost(found),),
        notes=tuple(printable(f"{said_kept_apart(one)}.") for one in found.not_considered[:_MOST_LEFT_OUT]),
        figures=(),
        tables=tables_of((_seats(found),), key="place"),
    )
    lead = f"Who should share a switch, at most {found.per_switch} each, by {found.model}: predicted, not measured."
    return render_plain(Plain(title=title, lead=lead, chapters=(chapter,), foot=_FOOT))


def _seats(found: PlacementPlan) -> Words:
    return Words(
        title="Switches", words=2, head=("switch", "applications, with slow-down and 95 % interval"),
        body=tuple((f"{number}", said_group(group)) for number, group in enumerate(found.groups, start=1)),
        reading="Who shares a switch with nobody counts as not slowed.",
    )  # fmt: skip
