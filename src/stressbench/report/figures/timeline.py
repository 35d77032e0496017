"""All rounds in the order of execution, to detect drift and external disturbances."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stressbench.formats.run import Kind, Run
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import RatioFormatter, bare_axes, canvas, finish, point_values
from stressbench.report.names import printable, short
from stressbench.report.palette import BACKGROUND, ISOLATED, MUTED, tone_of
from stressbench.report.plotting import Axes
from stressbench.report.run.section import RunSection, left_out, most_affected
from stressbench.report.thinning import extreme_indices
from stressbench.report.units import TimeUnit, count, elapsed_unit, factor, time
from stressbench.stats import JobSummary, RoundMedian

ORDER = 50
MAX_POINTS = 4000
MAX_PANELS = 12
_CAPTION = (
    "One panel per job. Grey circles: isolated rounds; coloured diamonds: contended rounds. The height is the median "
    "time of the round divided by the median isolated time of the job (the contended one, for a job without isolated "
    "rounds). Each kind should stay level: a slope or a jump in both is a change of the machine, not of the jobs. A "
    "dotted line marks a --continue."
)
_THINNING_NOTE = (
    " Where there are too many rounds to draw, the lowest and the highest of each group of consecutive rounds are "
    "shown."
)
_MIN_POINTS = 20


@dataclass(frozen=True, kw_only=True)
class _StartTimes:
    """Start times (s) of rounds, by round number, and of launches, as if launches followed without a pause."""

    began_s: dict[int, float]
    launches_s: tuple[float, ...]


def draw(section: RunSection) -> Figure | None:
    """One panel for each job with rounds; None without rounds."""
    start_times = _start_times(section.run)
    known = [job for job in section.jobs if job.timing.rounds]
    with_rounds = most_affected(known, most=MAX_PANELS)
    if not with_rounds:
        return None
    fig = canvas(height_in=0.55 + 0.95 * len(with_rounds))
    panels = fig.subplots(len(with_rounds), squeeze=False, sharex=True)[:, 0]
    max_points = max(_MIN_POINTS, MAX_POINTS // (2 * len(with_rounds)))
    unit = elapsed_unit(start_times.began_s.values())
    for axes, job in zip(panels, with_rounds, strict=True):
        _panel(axes, job, start_times, unit=unit, max_points=max_points)
    panels[-1].set_xlabel(f"time since the launch began / {unit.name}")
    rounds = count(len(section.run.rounds), "round")
    return finish(
        fig,
        key=f"{section.key}-timeline",
        title=f"Drift of the machine: {rounds} in the order of execution",
        caption=_CAPTION
        + (_THINNING_NOTE if _is_thinned(with_rounds, max_points) else "")
        + left_out(shown=len(with_rounds), total=len(known)),
        description=" ".join(_description(job) for job in with_rounds),
    )


def data_file(section: RunSection) -> DataFile:
    """One row per round and job."""
    began_s = _start_times(section.run).began_s
    return DataFile(
        name="rounds", head=("job", "round", "launch", "block", "kind", "began_s", "median_s"),
        rows=tuple(
            (job.name, one.round, one.launch, one.block, one.kind.value, began_s[one.round], one.median_s)
            for job in section.jobs
            for one in job.timing.rounds
        ),
    )  # fmt: skip


def _start_times(run: Run) -> _StartTimes:
    began_s: dict[int, float] = {}
    launches_s: list[float] = []
    offset = 0.0
    for launch in run.launches:
        launches_s.append(offset)
        began_s |= {round_.round: offset + round_.started_s for round_ in launch.rounds}
        offset += max((round_.ended_s for round_ in launch.rounds), default=0.0)
    return _StartTimes(began_s=began_s, launches_s=tuple(launches_s))


def _description(job: JobSummary) -> str:
    kinds = [one.kind for one in job.timing.rounds]
    isolated, contended = kinds.count(Kind.isolated), kinds.count(Kind.contended)
    return f"{printable(job.name)}: {count(isolated, 'isolated round')}, {contended} contended."


def _rounds_of(job: JobSummary, kind: Kind) -> list[RoundMedian]:
    return [one for one in job.timing.rounds if one.kind is kind]


def _is_thinned(jobs: Iterable[JobSummary], max_points: int) -> bool:
    return any(len(_rounds_of(job, kind)) > max_points for job in jobs for kind in Kind)


def _panel(axes: Axes, job: JobSummary, start_times: _StartTimes, *, unit: TimeUnit, max_points: int) -> None:
    isolated, contended = _rounds_of(job, Kind.isolated), _rounds_of(job, Kind.contended)
    level = float(np.median([one.median_s for one in isolated or contended])) or 1.0
    for rounds, marker, colour in (
        (isolated, "o", ISOLATED.placeholder),
        (contended, "D", tone_of(job.job).placeholder),
    ):
        heights = np.array([one.median_s / level for one in rounds])
        shown = extreme_indices(heights, max_count=max_points)
        times = [start_times.began_s[rounds[index].round] * unit.per_second for index in shown]
        axes.plot(times, heights[shown], marker, color=colour, markersize=6, markeredgecolor=BACKGROUND.placeholder)
        texts = [
            f"round {one.round}, {one.kind.value}: {time(one.median_s)}, {factor(one.median_s / level)}× the level"
            for one in (rounds[index] for index in shown)
        ]
        point_values(axes, times, heights[shown].tolist(), texts)
    axes.axhline(1.0, color=MUTED.placeholder, linewidth=0.8, zorder=0)
    for begin in start_times.launches_s[1:]:
        axes.axvline(begin * unit.per_second, color=MUTED.placeholder, linewidth=1, linestyle=":")
    axes.margins(y=0.25)
    bare_axes(axes, grid="y")
    axes.yaxis.set_major_formatter(RatioFormatter())
    axes.set_title(short(job.name, max_length=60), fontsize=9.5)
    axes.set_ylabel("relative time", fontsize=8.5)
