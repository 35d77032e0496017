"""Documents of `stressbench predict evaluate`: predictions of each model against measured co-runs."""

from collections.abc import Iterator

from stressbench.interference.coruns import UnusableCoRun
from stressbench.interference.validation import Validation
from stressbench.report.document import (
    Block,
    BulletList,
    DataFile,
    Document,
    Paragraph,
    Role,
    Section,
    Table,
    Value,
    table_columns,
)
from stressbench.report.interference.predictions import FOOT, slowdown_text
from stressbench.report.names import printable
from stressbench.report.page_sections import page_section
from stressbench.report.units import MISSING, count, ratio_text

_MAX_LEFT_OUT = 10
_MAX_LEFT_OUT_IN_PAGE = 20
_MAX_PAIRS_IN_PAGE = 400
_SCORE_HEADS = (
    "model", "mean |error|", "least", "25 %", "50 %", "75 %", "largest", "within 5 / %", "within 10 / %", "held / %",
    "unpredicted",
)  # fmt: skip
_PAIR_HEADS = ("victim", "beside", "measured [95 %]")
_SCORE_RECORDS = (
    "model", "learnt", "co_runs", "could_not_tell", "mean_absolute_error", "error_least", "error_first_quartile",
    "error_median", "error_third_quartile", "error_most", "within_5_points", "within_10_points", "intervals",
    "coverage",
)  # fmt: skip
_PAIR_RECORDS = (
    "model", "victim", "aggressors", "source", "overlap", "measured", "measured_low", "measured_high", "predicted",
    "low", "high", "error", "held", "reason",
)  # fmt: skip
_QUARTILES = ("least", "first", "median", "third", "most")
_KEY = (
    "error: predicted minus measured slowdown, in percentage points of the isolated time. Quartiles are those of "
    "absolute errors (Casas and Bronevetsky, Figure 9).",
    "within: share of all co-runs; those without a prediction count as missed. held: share of the intervals that "
    "contain the measured slowdown.",
    "Ordered by the number of predictions, then by mean error.",
)


def brief(validation: Validation, *, pairs: bool = False) -> Document:
    """One row per model; with `pairs` also one per co-run, and records of co-runs instead of models."""
    left_out_lines = [_left_out_text(one) for one in validation.left_out[:_MAX_LEFT_OUT]]
    if (more := len(validation.left_out) - _MAX_LEFT_OUT) > 0:
        left_out_lines.append(f"and {more} more left out; --json has all")
    blocks: tuple[Block, ...] = (
        Table(columns=table_columns(_SCORE_HEADS, text_columns=1), rows=tuple(_score_rows(validation))),
        *((_pairs(validation),) if pairs else ()),
        BulletList(items=tuple(_reasons(validation))),
        *(Paragraph(text=one, role=Role.warning) for one in left_out_lines),
        *(Paragraph(text=line, role=Role.key) for line in _key(validation)),
    )
    models, co_runs = count(len(validation.scores), "model"), count(validation.co_runs, "co-run")
    return Document(
        title=f"{validation.machine}: {models} against {co_runs}",
        sections=(Section(blocks=blocks),),
        records=_pair_records(validation) if pairs else _score_records(validation),
        value=validation,
    )


def page(validation: Validation) -> Document:
    """The HTML page: findings, figures, and both tables."""
    from stressbench.report.drawing import style  # figures take a second to import
    from stressbench.report.interference import errors

    with style():
        figures = [
            figure for figure in (errors.draw_boxes(validation), errors.draw_scatter(validation)) if figure is not None
        ]
    models, co_runs = count(len(validation.scores), "model"), count(validation.co_runs, "co-run")
    title = f"{models} against {co_runs} on {printable(validation.machine)}"
    reading_aid = " ".join(_key(validation))
    scores = Table(
        title="Models",
        columns=table_columns(_SCORE_HEADS, text_columns=1),
        rows=tuple(_score_rows(validation)),
        caption=reading_aid,
    )
    section = page_section(
        key="judgement",
        title=title,
        findings=_findings(validation),
        notes=_cautions(validation),
        figures=(*figures, _pair_records(validation)) if figures else (),
        tables=(scores, _pairs(validation, max_rows=_MAX_PAIRS_IN_PAGE)),
    )
    lead = "Predictions from profiles compared with measured co-runs."
    return Document(title=title, lead=lead, sections=(section,), foot=FOOT)


def _findings(validation: Validation) -> Iterator[str]:
    best = validation.scores[0]
    if best.mean_absolute_error is None or best.within_10_points is None:
        yield "No model has a prediction for any co-run."
        return
    yield (
        f"{best.model} has a mean error of {100 * best.mean_absolute_error:.1f} points, and an error of at most "
        f"10 points for {100 * best.within_10_points:.0f} % of the co-runs."
    )
    if best.coverage is not None:
        yield (
            f"Of its {count(best.intervals, 'interval')} {100 * best.coverage:.0f} % contain the measured "
            "slowdown; 95 % should."
        )


def _cautions(validation: Validation) -> Iterator[str]:
    yield from (f"{sentence}." for sentence in _reasons(validation))
    yield from (f"{_left_out_text(one)}." for one in validation.left_out[:_MAX_LEFT_OUT_IN_PAGE])
    if (more := len(validation.left_out) - _MAX_LEFT_OUT_IN_PAGE) > 0:
        yield f"And {more} more are left out."


def _left_out_text(one: UnusableCoRun) -> str:
    return f"left out: {one.victim} beside {', '.join(one.aggressors)} ({one.source}): {one.reason}"


def _score_rows(validation: Validation) -> Iterator[tuple[str, ...]]:
    """One row per model, the best first."""
    for one in validation.scores:
        quartiles = [None if one.quartiles is None else getattr(one.quartiles, part) for part in _QUARTILES]
        yield (
            f"{one.model} (learns)" if one.learnt else one.model,
            *(_percent(value, 1) for value in (one.mean_absolute_error, *quartiles)),
            *(_percent(value, 0) for value in (one.within_5_points, one.within_10_points, one.coverage)),
            str(one.could_not_tell),
        )


def _pairs(validation: Validation, *, max_rows: int | None = None) -> Table:
    """The measured slowdown of each co-run, and the prediction of each model."""
    co_runs = validation.scores[0].pairs
    truncation_note = (
        "" if max_rows is None or len(co_runs) <= max_rows else f" The first {max_rows} of {len(co_runs):,}."
    )
    return Table(
        title="Co-runs" if max_rows else "",
        columns=table_columns(
            (*_PAIR_HEADS, *(score.model for score in validation.scores)), text_columns=3 if max_rows is None else 2
        ),
        rows=tuple(
            (
                one.victim, ", ".join(one.aggressors),
                ratio_text(one.measured, *(one.measured_interval or (None, None))),
                *(slowdown_text(score.pairs[number].slowdown) for score in validation.scores),
            )
            for number, one in enumerate(co_runs[:max_rows])
        ),
        caption=f"Measured slowdowns and the predictions of each model.{truncation_note}" if max_rows else "",
    )  # fmt: skip


def _score_records(validation: Validation) -> DataFile:
    """One record per model; errors are shares of the isolated time, None is unknown."""
    rows = tuple(
        (
            one.model, int(one.learnt), validation.co_runs, one.could_not_tell, one.mean_absolute_error,
            *(None if one.quartiles is None else getattr(one.quartiles, part) for part in _QUARTILES),
            one.within_5_points, one.within_10_points, one.intervals, one.coverage,
        )
        for one in validation.scores
    )  # fmt: skip
    return DataFile(name="scores", head=_SCORE_RECORDS, rows=rows)


def _pair_records(validation: Validation) -> DataFile:
    """One record per model and co-run; names of aggressors are separated by spaces."""
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (
            score.model, one.victim, " ".join(one.aggressors), one.source, one.overlap, one.measured,
            *(one.measured_interval or (None, None)), one.slowdown, one.low, one.high, one.error,
            None if one.held is None else int(one.held), one.reason,
        )
        for score in validation.scores
        for one in score.pairs
    )  # fmt: skip
    return DataFile(name="predictions", head=_PAIR_RECORDS, rows=rows)


def _reasons(validation: Validation) -> Iterator[str]:
    """One sentence per model that has no prediction for some co-runs, with the reason for the first."""
    for score in validation.scores:
        if score.could_not_tell:
            reason = next(str(one.reason) for one in score.pairs if one.slowdown is None)
            yield f"{score.model} has no prediction for {count(score.could_not_tell, 'co-run')}, for example: {reason}"


def _key(validation: Validation) -> tuple[str, ...]:
    """How to read the tables."""
    trained_models = [score.model for score in validation.scores if score.learnt]
    return (*_KEY, f"{', '.join(trained_models)}: each victim is predicted by a model trained without its co-runs.")


def _percent(share: float | None, digits: int) -> str:
    """A share as a percentage, or a dash."""
    return MISSING if share is None else f"{100 * share:.{digits}f}"
