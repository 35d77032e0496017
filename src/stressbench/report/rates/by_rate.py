"""Degradation factors against the rate: one line per job, one figure per number of ranks."""

from collections.abc import Iterator, Sequence

from stressbench.report.document import Figure
from stressbench.report.drawing import canvas, finish
from stressbench.report.names import printable
from stressbench.report.palette import FOREGROUND
from stressbench.report.plotting import Axes
from stressbench.report.rates.lines import MAX_LINES, FactorPoint, draw_line, finish_axes
from stressbench.report.rates.tables import name_of
from stressbench.report.units import count, interval
from stressbench.results.rates import Curve, Degradation

_MAX_FIGURES = 12
_CAPTION = (
    "Bandwidth decreases to the right; both axes are logarithmic. A job on the line at 1 is not slowed down; on the "
    "dotted line its time is inversely proportional to the bandwidth. Bars are 95 % intervals; a mark without a bar "
    "has too few rounds. {n} at each rate."
)
_CAPTION_OF_FIGURES = (
    "Bandwidth decreases to the right; both axes are logarithmic. A figure of merit on the line at 1 loses nothing; on "
    "the dotted line it degrades in proportion to the bandwidth. Bars are 95 % intervals; a mark without a bar has too "
    "few launches. {n} at each rate."
)


def draw_by_rate(degradation: Degradation) -> Iterator[Figure]:
    """One figure for each number of ranks and group of eight curves; curves without a factor are left out."""
    by_ranks: dict[int | None, list[Curve]] = {}
    for curve in degradation.curves:
        if any(point.factor.ratio is not None for point in curve.points[1:]):
            by_ranks.setdefault(curve.ranks, []).append(curve)
    parts = [
        (ranks, curves[first : first + MAX_LINES])
        for ranks, curves in by_ranks.items()
        for first in range(0, len(curves), MAX_LINES)
    ]
    for number, (ranks, part) in enumerate(parts[:_MAX_FIGURES], start=1):
        truncation_note = f" The first {_MAX_FIGURES} of {len(parts)} figures." if len(parts) > _MAX_FIGURES else ""
        yield _figure(
            part,
            ranks,
            key=f"degradation-rate-{number}",
            truncation_note=truncation_note if number == 1 else "",
            degradation=degradation,
        )


def _figure(
    curves: Sequence[Curve], ranks: int | None, *, key: str, truncation_note: str, degradation: Degradation
) -> Figure:
    fig = canvas(height_in=3.6)
    axes: Axes = fig.subplots()
    for order, curve in enumerate(curves):
        factor_points = [FactorPoint(at=1 / point.share, factor=point.factor) for point in curve.points]
        draw_line(axes, factor_points, label=name_of(curve), order=order)
    points = curves[0].points
    ends = (1.0, max(1 / point.share for point in points))
    axes.plot(
        ends,
        ends,
        color=FOREGROUND.placeholder,
        linestyle=(0, (1, 2)),
        linewidth=1.2,
        label="proportional to bandwidth",
        zorder=0,
    )
    finish_axes(axes)
    axes.set_xticks([1 / point.share for point in points], [point.rate for point in points])
    axes.set_xlabel("injection bandwidth / full rate")
    of_launches = degradation.time == "launches"
    axes.set_ylabel("times worse than at the full rate" if of_launches else "time / time at the full rate")
    axes.legend(fontsize=8, loc="upper left")
    where = "" if ranks is None else f" on {count(ranks, 'rank')}"
    effect = "Degradation of the program" if of_launches else "Slowdown of jobs"
    what, caption = ("launch", _CAPTION_OF_FIGURES) if of_launches else ("round", _CAPTION)
    return finish(
        fig, key=key, title=f"{effect}{where} with reduced bandwidth",
        caption=caption.format(n=_sample_size_text(curves, what)) + truncation_note,
        description=" ".join(map(_description, curves)),
    )  # fmt: skip


def _sample_size_text(curves: Sequence[Curve], what: str) -> str:
    rounds = [point.rounds for curve in curves for point in curve.points if point.rounds]
    few, many = min(rounds), max(rounds)
    return f"n = {count(few, what)}" if few == many else f"n = {few:,} to {count(many, what)}"


def _description(curve: Curve) -> str:
    parts = (
        f"{point.rate} {point.factor.ratio:.2f} {interval(point.factor.low, point.factor.high)}"
        for point in curve.points[1:]
        if point.factor.ratio is not None
    )
    return f"{printable(name_of(curve))}: {', '.join(parts)}."
