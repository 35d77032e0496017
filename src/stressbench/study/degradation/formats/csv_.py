"""CSV: a line for each job, number of ranks and rate; unknown is empty."""

from collections.abc import Iterator

from stressbench.report.numbers import Value, csv_text
from stressbench.study.degradation.curves import Degradation

_NUMBERS = (
    "job", "step", "motif", "ranks", "rate", "share", "runs", "rounds", "time_s", "factor", "factor_low",
    "factor_high", "interval_from", "ratio_of_medians", "bandwidth_bound", "bandwidth_bound_low",
    "bandwidth_bound_high", "suffices", "value", "unit", "better",
)  # fmt: skip


def render(found: Degradation) -> str:
    """The table."""
    where = tuple(found.curves[0].where) if found.curves else ()
    return csv_text((*where, *_NUMBERS), _lines(found))


def _lines(found: Degradation) -> Iterator[tuple[Value, ...]]:
    for curve in found.curves:
        for point in curve.points:
            yield (
                *curve.where.values(), curve.job, curve.step, curve.motif, curve.ranks, point.rate, point.share,
                point.runs, point.rounds, point.time_s, point.factor.ratio, point.factor.low, point.factor.high,
                point.factor.source, point.ratio_of_medians, point.bandwidth_bound.share, point.bandwidth_bound.low,
                point.bandwidth_bound.high, point.suffices, point.value, curve.unit, curve.better,
            )  # fmt: skip
