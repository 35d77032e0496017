"""Probe latencies, and utilisation of the switch by phase, over the run time of the application."""

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.profile_summary import ProfileSummary, probe_times
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import area_values, bare_axes, canvas, finish, tick_text
from stressbench.report.names import printable
from stressbench.report.palette import ISOLATED, JOBS, MUTED
from stressbench.report.plotting import Axes, FuncFormatter
from stressbench.report.thinning import extreme_indices
from stressbench.report.units import TimeUnit, count, elapsed_unit, percent, time, time_unit

_MAX_POINTS = 1200
_CAPTION = (
    "Top: probe latencies; the dashed line is the mean of the idle machine. Bottom: phases, periods of similar "
    "latency, with the utilisation of the switch and its 95 % interval as a band. A single phase means that no change "
    "was detected. n = {probes} probes, {phases}.{thinning_note}{spacing_note}"
)


def data_file(summary: ProfileSummary, *, key: str) -> DataFile:
    """One row per phase; times since the application's start, utilisation as a share with its 95 % interval."""
    return DataFile(
        name=f"{key}-phases", head=("began_s", "ended_s", "utilisation", "low", "high"),
        rows=tuple((one.began_s, one.ended_s, one.utilisation, one.low, one.high) for one in summary.phases),
    )  # fmt: skip


def draw(profile: Profile, summary: ProfileSummary, *, key: str) -> Figure | None:
    """The figure; None if the utilisation is unknown."""
    if not summary.phases or profile.impact is None:
        return None
    probes = profile.impact.probes
    values, times = probes.array, probe_times(profile, probes)
    fig = canvas(height_in=3.9)
    above, below = fig.subplots(2, 1, sharex=True)
    unit = time_unit([summary.idle.mean_s])
    elapsed = elapsed_unit([float(times.max()), *(phase.ended_s for phase in summary.phases)])
    shown = extreme_indices(values, max_count=_MAX_POINTS)
    above.plot(
        times[shown] * elapsed.per_second, values[shown] * unit.per_second, "o", color=JOBS[0].placeholder,
        markersize=2.4, alpha=0.5, markeredgewidth=0,
    )  # fmt: skip
    above.axhline(summary.idle.mean_s * unit.per_second, color=ISOLATED.placeholder, linestyle="--", linewidth=1.2)
    above.set_ylabel(f"latency / {unit.name}")
    above.yaxis.set_major_formatter(FuncFormatter(lambda value, _: tick_text(value)))
    _plot_utilisation(below, summary, unit=elapsed)
    for axes in (above, below):
        bare_axes(axes)
    caption = _CAPTION.format(
        probes=f"{len(values):,}", phases=count(len(summary.phases), "phase"),
        thinning_note=" Only the outermost are drawn." if len(shown) < len(values) else "",
        spacing_note="" if probes.times is not None else " Their times are unknown and drawn as evenly spaced.",
    )  # fmt: skip
    return finish(fig, key=f"{key}-phases", title=_title(summary), caption=caption, description=_description(summary))


def _plot_utilisation(axes: Axes, summary: ProfileSummary, *, unit: TimeUnit) -> None:
    tone = JOBS[1].placeholder
    for phase in summary.phases:
        times = [phase.began_s * unit.per_second, phase.ended_s * unit.per_second]
        axes.fill_between(times, 100 * phase.low, 100 * phase.high, color=tone, alpha=0.25, linewidth=0)
        axes.plot(times, [100 * phase.utilisation] * 2, color=tone, linewidth=2.2)
        low, high = (percent(bound) for bound in (phase.low, phase.high))
        text = f"{time(phase.began_s)} to {time(phase.ended_s)}: {percent(phase.utilisation)} % [{low}, {high}]"
        area_values(axes, [(times[0], 0.0, times[1], 100.0)], [text])
    for phase in summary.phases[1:]:
        axes.axvline(phase.began_s * unit.per_second, color=MUTED.placeholder, linewidth=0.8, linestyle=":")
    axes.set_ylim(0, 100)
    axes.set_ylabel("utilisation / %")
    axes.set_xlabel(f"time since the application's start / {unit.name}")


def _title(summary: ProfileSummary) -> str:
    name = printable(summary.application)
    if len(summary.phases) == 1:
        return f"Utilisation by {name} over time: no phases detected"
    least, most = (end(phase.utilisation for phase in summary.phases) for end in (min, max))
    return f"Utilisation by {name}: {percent(least)} to {percent(most)} % by phase"


def _description(summary: ProfileSummary) -> str:
    return " ".join(
        f"From {phase.began_s:.1f} to {phase.ended_s:.1f} s: {percent(phase.utilisation)} %, interval "
        f"{percent(phase.low)} to {percent(phase.high)} %."
        for phase in summary.phases[:20]
    )
