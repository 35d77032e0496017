"""Bandwidth over message size by pattern: the values that b_eff averages."""

import math
from collections.abc import Sequence

from stressbench.formats.protocols.beff import Kind
from stressbench.report.document import Figure
from stressbench.report.drawing import canvas, finish
from stressbench.report.suites.lines import Line, plot, scale
from stressbench.report.units import rate, size
from stressbench.suites.beff import BEff, PatternResult

_CAPTION = (
    "Sizes are equidistant, as in the definition: powers of two up to 4 KiB, then eight steps to Lmax. Each point is "
    "the maximum over methods and attempts, of all ranks together, on a logarithmic axis. The dotted line is the "
    "logarithmic mean of the random patterns: its distance from the rings is the cost of distant partners. n = {ranks} "
    "ranks, {rings} ring and {random} random patterns."
)


def draw(result: BEff) -> Figure:
    """One line per ring pattern, and one for the mean of all random patterns."""
    sizes = sorted(result.patterns[0].best)
    rings = [one for one in result.patterns if one.kind is Kind.ring]
    random = [one for one in result.patterns if one.kind is Kind.random]
    lines = [
        Line(label=one.name, order=order, values=[one.best[at] for at in sizes]) for order, one in enumerate(rings)
    ]
    if random:
        lines.append(Line(label="random, mean", order=None, values=[_mean_at(random, at) for at in sizes]))
    fig = canvas(height_in=3.4)
    axes = fig.subplots()
    plot(axes, lines, ticks=[size(at) for at in sizes])
    axes.tick_params(axis="x", labelrotation=60)
    scale(axes, lines)
    axes.set_xlabel("message")
    axes.set_ylabel("bandwidth of all ranks")
    axes.legend(ncols=4, loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2, fontsize=8)
    return finish(
        fig,
        key="beff-sizes",
        title=_title(result, sizes),
        caption=_CAPTION.format(ranks=f"{result.ranks:,}", rings=len(rings), random=len(random)),
        description=" ".join(
            f"{line.label}: {rate(line.values[0])} at {size(sizes[0])}, {rate(line.values[-1])} at {size(sizes[-1])}."
            for line in lines
        ),
    )


def _title(result: BEff, sizes: Sequence[int]) -> str:
    half = 0.5 * result.at_lmax
    averaged = [one for one in result.patterns if one.kind is not Kind.extra]
    size_at_half = next((at for at in sizes if _mean_at(averaged, at) >= half), sizes[-1])
    return f"Messages of {size(size_at_half)} reach half of the bandwidth at Lmax, {rate(result.at_lmax)}"


def _mean_at(patterns: Sequence[PatternResult], at: int) -> float:
    return math.exp(math.fsum(math.log(one.best[at]) for one in patterns) / len(patterns))
