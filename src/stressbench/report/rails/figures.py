"""Box-and-whisker plots by policy, and bandwidth over message size: Figures 3 and 2 of Leon et al."""

from collections.abc import Iterator, Sequence

import numpy as np

from stressbench.report.bandwidth_by_size import BandwidthLine, BandwidthPoint, draw_bandwidth
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import area_values, bare_axes, canvas, finish, style
from stressbench.report.names import printable, short
from stressbench.report.palette import BACKGROUND, FOREGROUND, Tone, hatch_of, tone_of
from stressbench.report.plotting import Axes
from stressbench.report.rails.launch_figures import draw_mpi_times, draw_orders, draw_profiles
from stressbench.report.rails.records import mpi_times_of, profiles_of, records_of
from stressbench.report.rails.tables import label, value_text
from stressbench.report.units import TimeUnit, rate, size, time_unit
from stressbench.results.rails import Bandwidth, Box, RailsReport, Subject

_MAX_BOXES = 12
_MAX_CURVES = 8
_NO_UNIT = TimeUnit(name="", per_second=1.0)
_BOXES = (
    "Box: first to third quartile; line: median; whiskers: the last value within 1.5 times the box's width; circles: "
    "outliers. n counts runs, or rounds where some policy has fewer than 4 runs."
)
_CURVES = (
    "Bandwidth of the motif's messages, of all pairs where the motif states so, from the median over rounds; both axes "
    "are logarithmic; bars: 95 % interval."
)


def draw(results: RailsReport) -> tuple[Figure | DataFile, ...]:
    """Box plots, launches one by one, bandwidth curves, and the use of MPI by programs, with the data below."""
    with style():
        times = (*_draw_boxes(results), *draw_orders(results), *_draw_bandwidths(results))
        mpi_times, profiles = tuple(draw_mpi_times(results)), tuple(draw_profiles(results.talk))
    return (
        *_with_data(times, records_of(results)), *_with_data(mpi_times, mpi_times_of(results)),
        *_with_data(profiles, profiles_of(results)),
    )  # fmt: skip


def _with_data(figures: tuple[Figure, ...], data: DataFile) -> tuple[Figure | DataFile, ...]:
    return (*figures, data) if figures else ()


def _draw_boxes(results: RailsReport) -> Iterator[Figure]:
    """One figure per job or figure of merit."""
    subjects = [one for one in results.subjects if any(entry.box for entry in one.entries)]
    for number, subject in enumerate(subjects[:_MAX_BOXES], start=1):
        left = f" The first {_MAX_BOXES} of {len(subjects)}." if number == 1 and len(subjects) > _MAX_BOXES else ""
        yield _boxes(subject, results.policies, key=f"rails-boxes-{number}", caption=_BOXES + left)


def _boxes(subject: Subject, policies: Sequence[str], *, key: str, caption: str) -> Figure:
    shown = [(entry.policy, entry.box) for entry in subject.entries if entry.box is not None]
    unit = time_unit([box.high for _, box in shown]) if subject.unit == "s" else _NO_UNIT
    fig = canvas(height_in=0.8 + 0.42 * len(shown))
    axes: Axes = fig.subplots()
    for place, (policy, box) in enumerate(reversed(shown)):
        number = policies.index(policy)
        _box(axes, box, scale=unit.per_second, height=place, tone=tone_of(number), hatch=hatch_of(number))
        area = (box.low * unit.per_second, place - 0.25, box.high * unit.per_second, place + 0.25)
        area_values(axes, [area], [_box_text(subject, policy, box)])
    names = [f"{short(policy, max_length=40)}, n = {box.count}" for policy, box in reversed(shown)]
    axes.set_yticks(range(len(shown)), names)
    axes.set_ylim(-0.6, len(shown) - 0.4)
    bare_axes(axes, grid="x")
    axes.set_xlabel(f"time / {unit.name}" if unit.name else short(subject.name, max_length=60))
    where = ", ".join((*subject.where.values(), label(subject)))
    return finish(
        fig, key=key, title=f"{'Time of ' if unit.name else ''}{printable(where)}, by rail policy", caption=caption,
        description=" ".join(f"{policy}: median {value_text(subject, box.median)}, n = {box.count}."
                             for policy, box in shown),
    )  # fmt: skip


def _box_text(subject: Subject, policy: str, box: Box) -> str:
    median, first, third, low, high = (
        value_text(subject, value) for value in (box.median, box.first_quartile, box.third_quartile, box.low, box.high)
    )
    return f"{policy}: median {median}, half within {first} to {third}, whiskers {low} to {high}, n = {box.count}"


def _box(axes: Axes, box: Box, *, scale: float, height: int, tone: Tone, hatch: str) -> None:
    ink = FOREGROUND.placeholder
    statistics = {
        "whislo": box.low, "q1": box.first_quartile, "med": box.median, "q3": box.third_quartile, "whishi": box.high
    }  # fmt: skip
    artists = axes.bxp(
        [{**{name: value * scale for name, value in statistics.items()}, "fliers": np.array(box.outliers) * scale}],
        positions=[height], widths=0.5, orientation="horizontal", patch_artist=True,
        medianprops={"color": ink, "linewidth": 1.8},
        whiskerprops={"color": ink, "linewidth": 0.9},
        capprops={"color": ink, "linewidth": 0.9},
        flierprops={"marker": "o", "markersize": 4, "markerfacecolor": "none", "markeredgecolor": ink},
    )  # fmt: skip
    for patch in artists["boxes"]:
        patch.set(facecolor=BACKGROUND.placeholder, edgecolor=tone.placeholder, hatch=hatch, linewidth=1.2)


def _draw_bandwidths(results: RailsReport) -> Iterator[Figure]:
    """A figure for each job and motif that has several sizes."""
    curves: dict[tuple[str, ...], list[Bandwidth]] = {}
    for one in results.bandwidths:
        curves.setdefault((*one.where.values(), one.job, one.motif), []).append(one)
    with_sizes = [(names, sizes) for names, sizes in curves.items() if len({one.size_bytes for one in sizes}) > 1]
    for number, (names, sizes) in enumerate(with_sizes[:_MAX_CURVES], start=1):
        yield _curves(", ".join(names), sizes, results.policies, key=f"rails-bandwidth-{number}")


def _curves(name: str, sizes: Sequence[Bandwidth], policies: Sequence[str], *, key: str) -> Figure:
    ordered = sorted(sizes, key=lambda one: one.size_bytes)
    lines = [
        BandwidthLine(
            name=policy,
            points=[
                BandwidthPoint(
                    size_bytes=one.size_bytes,
                    bytes_per_s=one.bytes_per_s.get(policy),
                    low=one.low.get(policy),
                    high=one.high.get(policy),
                )
                for one in ordered
            ],
        )
        for policy in policies
    ]
    last = ordered[-1]
    bandwidths_text = " ".join(f"{policy}: {rate(last.bytes_per_s.get(policy))}." for policy in policies)
    return draw_bandwidth(
        lines, key=key, title=f"{printable(name)}: bandwidth by message size and rail policy", caption=_CURVES,
        description=f"With messages of {size(last.size_bytes)}: {bandwidths_text}",
    )  # fmt: skip
