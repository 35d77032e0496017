"""The overview of a study: the impact of each job in each cell, with its interval and its verdict."""

from collections.abc import Sequence

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import canvas, finish, point_values
from stressbench.report.figures.impacts import ratio_axis
from stressbench.report.names import short
from stressbench.report.palette import BACKGROUND, FOREGROUND, FULL, MUTED, Tone
from stressbench.report.plotting import Axes, Line2D
from stressbench.report.study.verdicts import JobVerdict, StudyVerdicts
from stressbench.report.units import count, factor_and_interval
from stressbench.report.verdicts import Verdict, excess

MAX_JOBS = 8
MAX_CELLS = 60
_HEIGHT = 0.7
_MARKS: dict[Verdict, tuple[str, Tone]] = {
    Verdict.slowed: ("D", FULL),
    Verdict.not_slowed: ("o", FOREGROUND),
    Verdict.undecided: ("s", MUTED),
    Verdict.unknown: ("x", MUTED),
}
_CAPTION = (
    "One row per job, one mark per cell in the order of the study file, from top to bottom: congestion impact, "
    "contended over isolated time. Bars: 95 % confidence interval. The dashed line is the limit from which a job "
    "counts as slowed ({excess}). The figure of impacts by cell names the cells."
)


def draw(verdicts: StudyVerdicts) -> Figure | None:
    """The jobs with the largest impacts; None if no impact is known."""
    jobs: dict[str, list[JobVerdict]] = {}
    for one in verdicts.jobs:
        if one.impact is not None:
            jobs.setdefault(one.job, []).append(one)
    if not jobs:
        return None
    ordered = sorted(jobs.values(), key=lambda ones: -max(one.impact or 0.0 for one in ones))
    shown = [_farthest(ones) for ones in ordered[:MAX_JOBS]]
    fig = canvas(height_in=1.15 + sum(max(0.34, min(0.9, 0.055 * len(ones))) for ones in shown))
    axes = fig.subplots()
    for row, ones in enumerate(shown):
        _draw_job(axes, ones, row)
    limit = verdicts.limits.slowed_above
    axes.axvline(limit, color=MUTED.placeholder, linewidth=1, linestyle="--", zorder=0)
    axes.set_yticks(range(len(shown)), [short(ones[0].job) for ones in shown])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    ratio_axis(axes)
    fig.legend(handles=_legend(verdicts), loc="outside lower left", ncols=4, fontsize=9)
    described = "; ".join(
        f"{short(one.job)} {factor_and_interval(one.impact, one.low, one.high)}, {one.verdict}"
        for ones in shown
        for one in ones
    )
    return finish(
        fig, key="study-overview", title=_title(verdicts),
        caption=_CAPTION.format(excess=excess(limit)) + _left_out(ordered, shown),
        description=f"Congestion impact by job and cell: {described}.",
    )  # fmt: skip


def data_file(verdicts: StudyVerdicts) -> DataFile:
    """One row per job and cell, with its verdict; unknown values are empty."""
    factors = list(verdicts.jobs[0].values) if verdicts.jobs else []
    return DataFile(
        name="overview",
        head=("cell", *factors, "job", "verdict", "impact", "impact_low", "impact_high", "runs_needed"),
        rows=tuple(
            (
                one.cell, *(one.values[factor] for factor in factors), one.job, one.verdict.value, one.impact, one.low,
                one.high, one.runs_needed,
            )
            for one in verdicts.jobs
        ),
    )  # fmt: skip


def _farthest(ones: Sequence[JobVerdict]) -> list[JobVerdict]:
    """At most `MAX_CELLS`, those with the largest impacts, in the order of the study file."""
    kept = {id(one) for one in sorted(ones, key=lambda one: -(one.impact or 0.0))[:MAX_CELLS]}
    return [one for one in ones if id(one) in kept]


def _draw_job(axes: Axes, ones: Sequence[JobVerdict], row: int) -> None:
    for number, one in enumerate(ones):
        height = row + (0.0 if len(ones) == 1 else _HEIGHT * (number / (len(ones) - 1) - 0.5))
        mark, tone = _MARKS[one.verdict]
        if one.low is not None and one.high is not None:
            axes.plot([one.low, one.high], [height, height], color=tone.placeholder, linewidth=1.6, alpha=0.75)
        edge = tone if mark == "x" else BACKGROUND
        axes.plot(
            one.impact or 1.0, height, mark, color=tone.placeholder, markersize=5.5, markeredgecolor=edge.placeholder,
            markeredgewidth=0.7,
        )  # fmt: skip
        point_values(axes, [one.impact or 1.0], [height], [_value_text(one)])


def _value_text(one: JobVerdict) -> str:
    factors = ", ".join(f"{name} = {value}" for name, value in one.values.items())
    subject = f"{one.job} with {factors}" if factors else one.job
    return f"{subject}: {factor_and_interval(one.impact, one.low, one.high)}, {one.verdict}"


def _legend(verdicts: StudyVerdicts) -> list[Line2D]:
    return [
        Line2D(
            [], [], linestyle="", marker=mark, color=tone.placeholder, markersize=5.5,
            label=f"{'no interval' if verdict is Verdict.unknown else verdict} ({total:,})",
        )
        for verdict, (mark, tone) in _MARKS.items()
        if (total := sum(one.verdict is verdict for one in verdicts.jobs))
    ]  # fmt: skip


def _title(verdicts: StudyVerdicts) -> str:
    slowed = sum(one.verdict is Verdict.slowed for one in verdicts.jobs)
    cells = f"{verdicts.decided:,} of {count(verdicts.cells, 'cell')} decided"
    return f"{slowed:,} of {count(len(verdicts.jobs), 'result')} slowed {excess(verdicts.limits.slowed_above)}, {cells}"


def _left_out(ordered: Sequence[Sequence[JobVerdict]], shown: Sequence[Sequence[JobVerdict]]) -> str:
    drawn, known = sum(map(len, shown)), sum(map(len, ordered))
    return f" The {drawn:,} largest of {known:,} results, of {count(len(shown), 'job')}." if drawn < known else ""
