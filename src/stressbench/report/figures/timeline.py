"""All rounds in the order of execution, to detect drift and external disturbances."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stressbench.formats.run import Kind, Run
from stressbench.report.document import Figure, Numbers
from stressbench.report.drawing import bare_axes, canvas, finish
from stressbench.report.names import printable, short
from stressbench.report.palette import ALONE, MUTED, PAPER, tone_of
from stressbench.report.plotting import Axes
from stressbench.report.run.section import RunSection
from stressbench.report.thinning import outermost
from stressbench.report.units import count
from stressbench.stats import JobSummary, RoundMedian

ORDER = 50
MOST_POINTS = 4000
_CAPTION = (
    "One panel per job. Grey circles: isolated rounds; coloured diamonds: contended rounds. The height is the median "
    "time of the round divided by the median isolated time of the job (the contended one, for a job without isolated "
    "rounds). Each kind should stay level: a slope or a jump in both is a change of the machine, not of the jobs. A "
    "dotted line marks a --continue."
)
_THINNED = (
    "Where there are too many rounds to draw, the lowest and the highest of each group of consecutive rounds are shown."
)
_FEWEST_POINTS = 20


@dataclass(frozen=True, kw_only=True)
class _Clock:
    """Start times (s) of rounds, by round number, and of launches, as if launches followed without a pause."""

    began_s: dict[int, float]
    launches_s: tuple[float, ...]


def draw(section: RunSection) -> Figure | None:
    """One panel for each job with rounds; None without rounds."""
    clock = _clock(section.run)
    filled = [job for job in section.jobs if job.timing.rounds]
    if not filled:
        return None
    drawn = canvas(height_in=0.55 + 0.95 * len(filled))
    panels = drawn.subplots(len(filled), squeeze=False, sharex=True)[:, 0]
    most = max(_FEWEST_POINTS, MOST_POINTS // (2 * len(filled)))
    for axes, job in zip(panels, filled, strict=True):
        _panel(axes, job, clock, most=most)
    panels[-1].set_xlabel("time since the launch began / s")
    rounds = count(len(section.run.rounds), "round")
    return finish(
        drawn,
        key=f"{section.key}-timeline",
        title=f"Drift of the machine: {rounds} in the order of execution",
        caption=_CAPTION + (_THINNED if _is_thinned(filled, most) else ""),
        description=" ".join(_described(job) for job in filled),
    )


def numbers(section: RunSection) -> Numbers:
    """One row per round and job."""
    began_s = _clock(section.run).began_s
    return Numbers(
        name="rounds", head=("job", "round", "launch", "block", "kind", "began_s", "median_s"),
        rows=tuple(
            (job.name, one.round, one.launch, one.block, one.kind.value, began_s[one.round], one.median_s)
            for job in section.jobs
            for one in job.timing.rounds
        ),
    )  # fmt: skip


def _clock(run: Run) -> _Clock:
    began_s: dict[int, float] = {}
    launches_s: list[float] = []
    offset = 0.0
    for launch in run.launches:
        launches_s.append(offset)
        began_s |= {found.round: offset + found.started_s for found in launch.rounds}
        offset += max((found.started_s + found.duration_s for found in launch.rounds), default=0.0)
    return _Clock(began_s=began_s, launches_s=tuple(launches_s))


def _described(job: JobSummary) -> str:
    kinds = [one.kind for one in job.timing.rounds]
    isolated, contended = kinds.count(Kind.isolated), kinds.count(Kind.contended)
    return f"{printable(job.name)}: {count(isolated, 'isolated round')}, {contended} contended."


def _of(job: JobSummary, kind: Kind) -> list[RoundMedian]:
    return [one for one in job.timing.rounds if one.kind is kind]


def _is_thinned(jobs: Iterable[JobSummary], most: int) -> bool:
    return any(len(_of(job, kind)) > most for job in jobs for kind in Kind)


def _panel(axes: Axes, job: JobSummary, clock: _Clock, *, most: int) -> None:
    isolated, contended = _of(job, Kind.isolated), _of(job, Kind.contended)
    level = float(np.median([one.median_s for one in isolated or contended])) or 1.0
    for rounds, marker, colour in ((isolated, "o", ALONE.stand_in), (contended, "D", tone_of(job.job).stand_in)):
        heights = np.array([one.median_s / level for one in rounds])
        drawn = outermost(heights, most=most)
        times = [clock.began_s[rounds[place].round] for place in drawn]
        axes.plot(times, heights[drawn], marker, color=colour, markersize=6, markeredgecolor=PAPER.stand_in)
    axes.axhline(1.0, color=MUTED.stand_in, linewidth=0.8, zorder=0)
    for begin in clock.launches_s[1:]:
        axes.axvline(begin, color=MUTED.stand_in, linewidth=1, linestyle=":")
    axes.margins(y=0.25)
    bare_axes(axes, grid="y")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}×")
    axes.set_title(short(job.name, longest=60), fontsize=9.5)
    axes.set_ylabel("relative time", fontsize=8.5)
