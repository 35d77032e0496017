"""Distribution of the probes' latencies, idle and beside the application (Casas and Bronevetsky, Figure 3)."""

from stressbench.formats.profiles.profile import Profile
from stressbench.interference.probe_statistics import LatencySummary
from stressbench.interference.profile_summary import ProfileSummary
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import canvas, finish
from stressbench.report.figures.distribution import TimeCurve, curve_of, plot_curves
from stressbench.report.names import printable
from stressbench.report.palette import ISOLATED, JOBS
from stressbench.report.plotting import Axes
from stressbench.report.units import factor, time

_CAPTION = (
    "The height of a line at a latency is the share of probes that took longer. Dashed and grey: idle machine; "
    "coloured: beside the application; the farther the coloured line lies to the right, the longer messages waited. "
    "Marks: percentiles 50, 95 and 99, bars: 95 % intervals. n = {idle} probes of the idle machine{beside}; each is "
    "half a round trip of {size:,} B."
)


def draw(profile: Profile, summary: ProfileSummary, *, key: str) -> Figure:
    """The curve of the idle machine and, if measured, that beside the application."""
    fig = canvas(height_in=3.2)
    axes: Axes = fig.subplots()
    sides = [
        TimeCurve(name="idle", values_s=profile.idle.array, tone=ISOLATED, dash="--", marks=summary.idle.percentiles)
    ]
    if profile.impact is not None and summary.beside is not None:
        sides.append(
            TimeCurve(
                name="beside it", values_s=profile.impact.probes.array, tone=JOBS[0], dash="-",
                marks=summary.beside.percentiles,
            )
        )  # fmt: skip
    unit = plot_curves(axes, sides)
    axes.set_xlabel(f"latency, one way / {unit.name}")
    loaded_note = "" if summary.beside is None else f", {summary.beside.count:,} beside the application"
    caption = _CAPTION.format(idle=f"{summary.idle.count:,}", beside=loaded_note, size=summary.probe.message_bytes)
    return finish(
        fig, key=f"{key}-latencies", title=_title(summary), caption=caption, description=_description(summary)
    )


def data_file(profile: Profile, *, key: str) -> DataFile:
    """Points of the curves: the number of probes `n`, and the share of them that took longer than `latency_s`."""
    sides = [("idle", profile.idle), *([] if profile.impact is None else [("beside", profile.impact.probes)])]
    rows = tuple(
        (name, len(latencies.latencies_s), latency_s, share)
        for name, latencies in sides
        for latency_s, share in zip(*(column.tolist() for column in curve_of(latencies.array)), strict=True)
    )
    return DataFile(name=f"{key}-latencies", head=("side", "n", "latency_s", "share_longer"), rows=rows)


def _title(summary: ProfileSummary) -> str:
    name = printable(summary.application)
    if summary.beside is None:
        return f"Probe latencies on the idle machine; the impact of {name} was not measured"
    return (
        f"Beside {name} the mean probe latency is {factor(summary.beside.mean_s / summary.idle.mean_s)}× the idle one"
    )


def _description(summary: ProfileSummary) -> str:
    sides = [("Idle", summary.idle), *([] if summary.beside is None else [("Beside the application", summary.beside)])]
    return " ".join(f"{name}: {_percentiles(side)}." for name, side in sides)


def _percentiles(side: LatencySummary) -> str:
    return ", ".join(f"{100 * one.share:g} % within {time(one.value_s)}" for one in side.percentiles)
