"""CSV of `stressbench predict evaluate`: a line a model, or a line a co-run and model; unknown is empty."""

from collections.abc import Iterator

from stressbench.interference.validation import Validation
from stressbench.report.numbers import Value, csv_text

_SCORES = (
    "model", "learnt", "co_runs", "could_not_tell", "mean_absolute_error", "error_least", "error_first_quartile",
    "error_median", "error_third_quartile", "error_most", "within_5_points", "within_10_points", "intervals",
    "coverage",
)  # fmt: skip
PAIRS_HEAD = (
    "model", "victim", "aggressors", "source", "measured", "measured_low", "measured_high", "predicted", "low", "high",
    "error", "held", "reason",
)  # fmt: skip
_QUARTILES = ("least", "first", "median", "third", "most")


def scores_csv(found: Validation) -> str:
    """As the table has it; errors in shares of the time alone."""
    rows = (
        (
            one.model, int(one.learnt), found.co_runs, one.could_not_tell, one.mean_absolute_error,
            *(None if one.quartiles is None else getattr(one.quartiles, part) for part in _QUARTILES),
            one.within_5_points, one.within_10_points, one.intervals, one.coverage,
        )
        for one in found.scores
    )  # fmt: skip
    return csv_text(_SCORES, rows)


def pairs_csv(found: Validation) -> str:
    """Several aggressors with a space between."""
    return csv_text(PAIRS_HEAD, pairs_rows(found))


def pairs_rows(found: Validation) -> Iterator[tuple[Value, ...]]:
    """A row of `PAIRS_HEAD` for each co-run and model."""
    for score in found.scores:
        for one in score.pairs:
            yield (
                score.model, one.victim, " ".join(one.aggressors), one.source, one.measured,
                *(one.measured_interval or (None, None)), one.slowdown, one.low, one.high, one.error,
                None if one.held is None else int(one.held), one.reason,
            )  # fmt: skip
