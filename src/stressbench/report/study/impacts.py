"""Impacts with intervals by cell: one panel per job, one factor shown by colour, the others on the vertical axis."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from stressbench.report.document import Figure
from stressbench.report.drawing import canvas, finish, point_values
from stressbench.report.figures.impacts import ratio_axis
from stressbench.report.names import printable, short
from stressbench.report.palette import BACKGROUND, FOREGROUND, JOBS, tone_of
from stressbench.report.plotting import Axes, Line2D
from stressbench.report.study.page_data import CellJob, StudyPageData
from stressbench.report.study.sentences import finding_of
from stressbench.report.units import MISSING, factor_and_interval
from stressbench.results.study import StudyReport

MAX_LINES = 60
_MARKS = "DosvP^X<"
_CAPTION = (
    "Marks: congestion impact of a job in one cell, contended over isolated time; right of the line at 1 the job is "
    "slowed down. Bars: 95 % confidence interval; where it includes 1, no slowdown is shown. A mark without a bar has "
    "no interval. n counts the values behind the interval."
)


@dataclass(frozen=True, kw_only=True)
class _Encoding:
    """Factors on the vertical axis (`row_factors`), the one shown by colour and mark (None: colour shows the job)."""

    row_factors: tuple[str, ...]
    colour: str | None
    style_numbers: Mapping[str, int]


def draw_impacts(report: StudyReport, page_data: StudyPageData) -> Figure | None:
    """All results with a ratio, but at most `MAX_LINES`, those furthest from 1; None without results."""
    known = page_data.with_impact
    if not known:
        return None
    largest = sorted(known, key=lambda entry: -abs(log(entry.job.impact.ratio or 1.0)))[:MAX_LINES]
    shown = {id(entry) for entry in largest}
    jobs: dict[str, list[CellJob]] = {}
    for entry in known:
        if id(entry) in shown:
            jobs.setdefault(entry.job.name, []).append(entry)
    encoding = _encoding(report)
    heights = [len(cell_jobs) for cell_jobs in jobs.values()]
    fig = canvas(height_in=0.9 + 0.3 * sum(heights) + 0.35 * len(jobs))
    panels = fig.subplots(len(jobs), squeeze=False, sharex=True, height_ratios=[n + 0.6 for n in heights])[:, 0]
    for axes, cell_jobs in zip(panels, jobs.values(), strict=True):
        _panel(axes, cell_jobs, encoding)
    for axes in panels[:-1]:
        axes.set_xlabel("")
    if encoding.colour is not None:
        fig.legend(
            handles=_legend(encoding), title=printable(encoding.colour), loc="outside upper left", ncols=4, fontsize=8.5
        )
    truncation_note = (
        f" The {len(shown)} of {len(known):,} results that are furthest from 1." if len(shown) < len(known) else ""
    )
    return finish(
        fig, key="study-impacts", title=finding_of(page_data), caption=_CAPTION + truncation_note,
        description=f"Congestion impact with 95 % confidence interval: {'; '.join(map(_description, largest))}.",
    )  # fmt: skip


def _encoding(report: StudyReport) -> _Encoding:
    """Show the last factor with two to eight values by colour, provided that there is another factor."""
    values = {
        name: tuple(dict.fromkeys(cell.values.get(name, MISSING) for cell in report.cells)) for name in report.factors
    }
    candidates = [name for name in report.factors if 2 <= len(values[name]) <= len(JOBS)] if len(values) > 1 else []
    colour = candidates[-1] if candidates else None
    return _Encoding(
        row_factors=tuple(name for name in report.factors if name != colour), colour=colour,
        style_numbers={value: n for n, value in enumerate(values[colour])} if colour is not None else {},
    )  # fmt: skip


def _panel(axes: Axes, cell_jobs: Sequence[CellJob], encoding: _Encoding) -> None:
    previous_label = None
    labels = []
    ordered = sorted(enumerate(cell_jobs), key=lambda one: (_group_index(cell_jobs, one[1], encoding), one[0]))
    for row, (_, entry) in enumerate(ordered):
        row_label = _row_label(entry, encoding)
        labels.append(short(row_label, max_length=34) if row_label != previous_label else "")
        previous_label = row_label
        _mark(axes, entry, row, encoding)
    axes.set_yticks(range(len(cell_jobs)), labels)
    axes.set_ylim(len(cell_jobs) - 0.4, -0.6)
    ratio_axis(axes)
    axes.set_title(short(cell_jobs[0].job.name, max_length=60), fontsize=9.5)


def _group_index(cell_jobs: Sequence[CellJob], entry: CellJob, encoding: _Encoding) -> int:
    """Index of the first job with the same values on the vertical axis."""
    row_label = _row_label(entry, encoding)
    return next(n for n, other in enumerate(cell_jobs) if _row_label(other, encoding) == row_label)


def _row_label(entry: CellJob, encoding: _Encoding) -> str:
    return ", ".join(printable(entry.cell.values.get(name, MISSING)) for name in encoding.row_factors)


def _mark(axes: Axes, entry: CellJob, row: int, encoding: _Encoding) -> None:
    impact = entry.job.impact
    style_number = (
        entry.tone
        if encoding.colour is None
        else encoding.style_numbers[entry.cell.values.get(encoding.colour, MISSING)]
    )
    colour = tone_of(style_number).placeholder
    mark = "D" if encoding.colour is None else _MARKS[style_number % len(_MARKS)]
    if impact.low is not None and impact.high is not None:
        axes.plot([impact.low, impact.high], [row, row], color=colour, linewidth=3, solid_capstyle="butt")
    axes.plot(impact.ratio or 1.0, row, mark, color=colour, markersize=7, markeredgecolor=BACKGROUND.placeholder)
    point_values(axes, [impact.ratio or 1.0], [row], [f"{_description(entry)}, n = {entry.n}"])
    text = f"{factor_and_interval(impact.ratio, impact.low, impact.high)}   n = {entry.n}"
    axes.text(
        1.01, row, text, transform=axes.get_yaxis_transform(), va="center", fontsize=8.5, color=FOREGROUND.placeholder
    )


def _description(entry: CellJob) -> str:
    factors = f" with {entry.factor_text}" if entry.factor_text else ""
    impact = entry.job.impact
    return f"{entry.name}{factors} {factor_and_interval(impact.ratio, impact.low, impact.high)}"


def _legend(encoding: _Encoding) -> list[Line2D]:
    return [
        Line2D([], [], color=tone_of(style_number).placeholder, marker=_MARKS[style_number % len(_MARKS)], linewidth=3,
               markersize=7, markeredgecolor=BACKGROUND.placeholder, label=short(value, max_length=24))
        for value, style_number in encoding.style_numbers.items()
    ]  # fmt: skip
