"""Impacts with intervals by cell: one panel per job, one factor shown by colour, the others on the vertical axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from stressbench.report.document import Figure
from stressbench.report.drawing import canvas, finish
from stressbench.report.figures.impacts import ratio_axis
from stressbench.report.names import printable, short
from stressbench.report.palette import INK, JOBS, PAPER, tone_of
from stressbench.report.plotting import Axes, Line2D
from stressbench.report.study.evidence import Evidence, Line
from stressbench.report.study.words import finding_of
from stressbench.report.units import MISSING, factor_and_interval
from stressbench.results.study import StudyReport

MOST_LINES = 60
_MARKS = "DosvP^X<"
_CAPTION = (
    "Marks: congestion impact of a job in one cell, contended over isolated time; right of the line at 1 the job is "
    "slowed down. Bars: 95 % confidence interval; where it includes 1, no slowdown is shown. A mark without a bar has "
    "no interval. n counts the values behind the interval."
)


@dataclass(frozen=True, kw_only=True)
class _Axes:
    """Factors on the vertical axis (`side`), and the factor shown by colour and mark (None: colour shows the job)."""

    side: tuple[str, ...]
    colour: str | None
    looks: Mapping[str, int]


def draw_impacts(report: StudyReport, evidence: Evidence) -> Figure | None:
    """All results with a ratio, but at most `MOST_LINES`, those furthest from 1; None without results."""
    known = evidence.known
    if not known:
        return None
    largest = sorted(known, key=lambda line: -abs(log(line.job.impact.ratio or 1.0)))[:MOST_LINES]
    kept = {id(line) for line in largest}
    jobs: dict[str, list[Line]] = {}
    for line in known:
        if id(line) in kept:
            jobs.setdefault(line.job.name, []).append(line)
    plan = _plan(report)
    heights = [len(lines) for lines in jobs.values()]
    drawn = canvas(height_in=0.9 + 0.3 * sum(heights) + 0.35 * len(jobs))
    panels = drawn.subplots(len(jobs), squeeze=False, sharex=True, height_ratios=[n + 0.6 for n in heights])[:, 0]
    for axes, lines in zip(panels, jobs.values(), strict=True):
        _panel(axes, lines, plan)
    for axes in panels[:-1]:
        axes.set_xlabel("")
    if plan.colour is not None:
        drawn.legend(
            handles=_legend(plan), title=printable(plan.colour), loc="outside upper left", ncols=4, fontsize=8.5
        )
    left_out = f" The {len(kept)} of {len(known):,} results that are furthest from 1." if len(kept) < len(known) else ""
    return finish(
        drawn, key="study-impacts", title=finding_of(evidence), caption=_CAPTION + left_out,
        description=f"Congestion impact with 95 % confidence interval: {'; '.join(map(_described, largest))}.",
    )  # fmt: skip


def _plan(report: StudyReport) -> _Axes:
    """Show the last factor with two to eight values by colour, provided that there is another factor."""
    values = {
        name: tuple(dict.fromkeys(cell.values.get(name, MISSING) for cell in report.cells)) for name in report.factors
    }
    fitting = [name for name in report.factors if 2 <= len(values[name]) <= len(JOBS)] if len(values) > 1 else []
    colour = fitting[-1] if fitting else None
    return _Axes(
        side=tuple(name for name in report.factors if name != colour), colour=colour,
        looks={value: n for n, value in enumerate(values[colour])} if colour is not None else {},
    )  # fmt: skip


def _panel(axes: Axes, lines: Sequence[Line], plan: _Axes) -> None:
    before = None
    labels = []
    ordered = sorted(enumerate(lines), key=lambda one: (_group_place(lines, one[1], plan), one[0]))
    for place, (_, line) in enumerate(ordered):
        side = _side(line, plan)
        labels.append(short(side, longest=34) if side != before else "")
        before = side
        _mark(axes, line, place, plan)
    axes.set_yticks(range(len(lines)), labels)
    axes.set_ylim(len(lines) - 0.4, -0.6)
    ratio_axis(axes)
    axes.set_title(short(lines[0].job.name, longest=60), fontsize=9.5)


def _group_place(lines: Sequence[Line], line: Line, plan: _Axes) -> int:
    """Index of the first line with the same values on the vertical axis."""
    side = _side(line, plan)
    return next(n for n, other in enumerate(lines) if _side(other, plan) == side)


def _side(line: Line, plan: _Axes) -> str:
    return ", ".join(printable(line.cell.values.get(name, MISSING)) for name in plan.side)


def _mark(axes: Axes, line: Line, place: int, plan: _Axes) -> None:
    impact = line.job.impact
    look = line.tone if plan.colour is None else plan.looks[line.cell.values.get(plan.colour, MISSING)]
    colour = tone_of(look).stand_in
    mark = "D" if plan.colour is None else _MARKS[look % len(_MARKS)]
    if impact.low is not None and impact.high is not None:
        axes.plot([impact.low, impact.high], [place, place], color=colour, linewidth=3, solid_capstyle="butt")
    axes.plot(impact.ratio or 1.0, place, mark, color=colour, markersize=7, markeredgecolor=PAPER.stand_in)
    text = f"{factor_and_interval(impact.ratio, impact.low, impact.high)}   n = {line.n}"
    axes.text(1.01, place, text, transform=axes.get_yaxis_transform(), va="center", fontsize=8.5, color=INK.stand_in)


def _described(line: Line) -> str:
    where = f" with {line.where}" if line.where else ""
    impact = line.job.impact
    return f"{line.name}{where} {factor_and_interval(impact.ratio, impact.low, impact.high)}"


def _legend(plan: _Axes) -> list[Line2D]:
    return [
        Line2D([], [], color=tone_of(look).stand_in, marker=_MARKS[look % len(_MARKS)], linewidth=3, markersize=7,
               markeredgecolor=PAPER.stand_in, label=short(value, longest=24))
        for value, look in plan.looks.items()
    ]  # fmt: skip
