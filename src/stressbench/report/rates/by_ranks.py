"""Degradation factors against the number of ranks, one figure per job, as in Figures 2 and 3 of Pedretti et al."""

from collections.abc import Iterator, Sequence

from stressbench.report.document import Figure
from stressbench.report.drawing import canvas, finish
from stressbench.report.names import printable
from stressbench.report.plotting import Axes
from stressbench.report.rates.lines import MAX_LINES, FactorPoint, draw_line, finish_axes
from stressbench.report.rates.tables import name_of
from stressbench.report.units import interval
from stressbench.results.rates import Curve, Degradation

_MAX_FIGURES = 12
_CAPTION = (
    "One line per rate; both axes are logarithmic. A line that rises to the right means that the same rate costs the "
    "job more on more ranks. Bars are 95 % intervals; where those of two numbers of ranks overlap widely, no "
    "difference is shown. n = {n} numbers of ranks."
)


def draw_by_ranks(degradation: Degradation) -> Iterator[Figure]:
    """A figure for each job that was measured on several numbers of ranks."""
    jobs: dict[str, list[tuple[int, Curve]]] = {}
    for curve in degradation.curves:
        if curve.ranks is not None and any(point.factor.ratio is not None for point in curve.points[1:]):
            jobs.setdefault(name_of(curve), []).append((curve.ranks, curve))
    several = [(name, scales) for name, scales in jobs.items() if len(dict(scales)) > 1]
    for number, (name, scales) in enumerate(several[:_MAX_FIGURES], start=1):
        more = f" The first {_MAX_FIGURES} of {len(several)} jobs." if len(several) > _MAX_FIGURES else ""
        yield _figure(
            name, sorted(scales, key=lambda one: one[0]), key=f"degradation-ranks-{number}",
            truncation_note=more if number == 1 else "",
        )  # fmt: skip


def _figure(name: str, scales: Sequence[tuple[int, Curve]], *, key: str, truncation_note: str) -> Figure:
    fig = canvas(height_in=3.0)
    axes: Axes = fig.subplots()
    rates = [point.rate for point in scales[0][1].points[1:]][:MAX_LINES]
    for order, rate in enumerate(rates):
        points = [
            FactorPoint(at=float(ranks), factor=point.factor)
            for ranks, curve in scales
            for point in curve.points
            if point.rate == rate
        ]
        draw_line(axes, points, label=f"at {rate}", order=order)
    finish_axes(axes)
    axes.set_xticks([ranks for ranks, _ in scales], [f"{ranks:,}" for ranks, _ in scales])
    axes.set_xlabel("ranks")
    axes.set_ylabel("time / time at the full rate")
    axes.legend(fontsize=8, loc="best")
    return finish(
        fig, key=key, title=f"{printable(name)}: degradation over the number of ranks",
        caption=_CAPTION.format(n=len(scales)) + truncation_note,
        description=" ".join(_description(*scale) for scale in scales),
    )  # fmt: skip


def _description(ranks: int, curve: Curve) -> str:
    parts = (
        f"{point.rate} {point.factor.ratio:.2f} {interval(point.factor.low, point.factor.high)}"
        for point in curve.points[1:]
        if point.factor.ratio is not None
    )
    return f"{ranks:,} ranks: {', '.join(parts)}."
