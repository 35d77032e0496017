"""A degradation as records: one per job, number of ranks and rate, and one per bandwidth."""

from collections.abc import Iterator
from fractions import Fraction

from stressbench.report.document import DataFile, Value
from stressbench.results.rates import Degradation

_HEAD = (
    "job", "step", "motif", "ranks", "rate", "share", "runs", "rounds", "time_s", "factor", "factor_low",
    "factor_high", "interval_from", "ratio_of_medians", "bandwidth_bound", "bandwidth_bound_low",
    "bandwidth_bound_high", "suffices", "value", "unit", "better", "size_bytes", "bytes_per_s", "bytes_per_s_low",
    "bytes_per_s_high",
)  # fmt: skip


def records_of(degradation: Degradation) -> DataFile:
    """One record per point, headed by the values of the other factors; None is unknown."""
    where = tuple(degradation.curves[0].where) if degradation.curves else ()
    return DataFile(name="degradation", head=(*where, *_HEAD), rows=tuple(_rows(degradation)))


def _rows(degradation: Degradation) -> Iterator[tuple[Value, ...]]:
    for curve in degradation.curves:
        for point in curve.points:
            yield (
                *curve.where.values(), curve.job, curve.step, curve.motif, curve.ranks, point.rate, point.share,
                point.runs, point.rounds, point.time_s, point.factor.ratio, point.factor.low, point.factor.high,
                point.factor.source, point.ratio_of_medians, point.bandwidth_bound.share, point.bandwidth_bound.low,
                point.bandwidth_bound.high, point.suffices, point.value, curve.unit, curve.better, *(None,) * 4,
            )  # fmt: skip
    for one in degradation.bandwidths:
        yield (
            *one.where.values(), one.job, one.step, one.motif, one.ranks, one.rate, float(Fraction(one.rate)),
            *(None,) * 3, one.factor.ratio, one.factor.low, one.factor.high, one.factor.source, *(None,) * 8,
            one.size_bytes, one.bytes_per_s, one.low, one.high,
        )  # fmt: skip
