"""Launches of a program one by one, and what it does in MPI: Figures 3 (run order), 4 and 1 of Leon et al."""

from collections.abc import Iterator, Sequence

from stressbench.report.document import Figure
from stressbench.report.drawing import area_values, bare_axes, canvas, finish, point_values
from stressbench.report.names import printable, short
from stressbench.report.palette import ISOLATED, hatch_of, tone_of
from stressbench.report.plotting import Axes, MaxNLocator
from stressbench.report.rails.tables import value_text
from stressbench.report.units import percent, plain_time, size, time_unit
from stressbench.results.rails import MpiProfile, MpiTimes, RailsReport, Subject

_MAX_ORDERS = 12
_MAX_PROFILES = 24
_MARKS = "osD^v<>P"
_ORDER = (
    "Each point is a launch, in the order of their starts. A drift over the launches, or a change of level, concerns "
    "all policies, whose order is random."
)
_MPI_TIMES = (
    "Each bar is a launch, in the order of their starts under each policy: time in MPI, mean over the ranks, from "
    "MPI_Init to MPI_Finalize. Waits count as point-to-point; others are calls of I/O, of set-up and the like."
)
_PROFILES = (
    "Shares of the program's time, over all ranks. Waits count as point-to-point; others are calls of I/O, of set-up "
    "and the like. At each bar: mean size of a message and of a collective."
)


def draw_orders(results: RailsReport) -> Iterator[Figure]:
    """A figure for each time or figure of merit that two or more launches have."""
    known = [one for one in results.subjects if sum(one.name in launch.values for launch in results.launches) > 1]
    for number, subject in enumerate(known[:_MAX_ORDERS], start=1):
        yield _order(subject, results, key=f"rails-order-{number}")


def _order(subject: Subject, results: RailsReport, *, key: str) -> Figure:
    launches = [one for one in results.launches if subject.name in one.values]
    unit = time_unit([one.values[subject.name] for one in launches]) if subject.unit == "s" else None
    scale, unit_text = (1.0, "") if unit is None else (unit.per_second, f" / {unit.name}")
    fig = canvas(height_in=2.9)
    axes: Axes = fig.subplots()
    descriptions = []
    for number, policy in enumerate(results.policies):
        those = [one for one in launches if one.policy == policy]
        values = [one.values[subject.name] for one in those]
        if those:
            axes.plot(
                [one.number for one in those], [value * scale for value in values], linestyle="none", markersize=4,
                marker=_MARKS[number % len(_MARKS)], color=tone_of(number).placeholder,
                label=short(policy, max_length=40),
            )  # fmt: skip
            point_values(
                axes, [one.number for one in those], [value * scale for value in values],
                [f"launch {one.number}, {policy}: {value_text(subject, one.values[subject.name])}" for one in those],
            )  # fmt: skip
            descriptions.append(
                f"{policy}: {value_text(subject, min(values))} to {value_text(subject, max(values))}, n = {len(those)}."
            )
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    bare_axes(axes)
    axes.set_xlabel("launch")
    axes.set_ylabel(short(subject.name, max_length=40) + unit_text)
    axes.legend(ncols=4, loc="lower right", bbox_to_anchor=(1, 1))
    return finish(
        fig, key=key, title=f"{printable(subject.name)}, launch by launch", caption=_ORDER,
        description=" ".join(descriptions),
    )  # fmt: skip


def draw_mpi_times(results: RailsReport) -> Iterator[Figure]:
    """The time in point-to-point calls and in collectives of each profiled launch, a panel for each policy."""
    by_policy = {
        policy: [one.mpi for one in results.launches if one.policy == policy and one.mpi is not None]
        for policy in results.policies
    }
    shown = [(policy, launches) for policy, launches in by_policy.items() if launches]
    if not shown:
        return
    unit = time_unit([mpi.mpi_s for _, launches in shown for mpi in launches])
    fig = canvas(height_in=0.7 + 1.3 * len(shown))
    panels = fig.subplots(len(shown), sharex=False, sharey=True, squeeze=False)
    for (axes,), (policy, launches) in zip(panels, shown, strict=True):
        _mpi_panel(axes, launches, scale=unit.per_second)
        axes.set_title(short(policy, max_length=60))
        axes.set_ylabel(f"time / {unit.name}")
    panels[-1][0].set_xlabel("launch under the policy")
    handles, labels = panels[0][0].get_legend_handles_labels()
    fig.legend(handles, labels, loc="outside upper right", ncols=3)
    yield finish(
        fig, key="rails-mpi-times", title="Time in MPI, launch by launch", caption=_MPI_TIMES,
        description=" ".join(
            f"{policy}: {_spread('point-to-point', [mpi.p2p_s for mpi in launches])}, "
            f"{_spread('collectives', [mpi.collective_s for mpi in launches])}, n = {len(launches)}."
            for policy, launches in shown
        ),
    )  # fmt: skip


def _spread(name: str, times_s: Sequence[float]) -> str:
    return f"{name} {plain_time(min(times_s))} to {plain_time(max(times_s))}"


def _mpi_panel(axes: Axes, launches: Sequence[MpiTimes], *, scale: float) -> None:
    places = range(1, len(launches) + 1)
    parts = (
        ("point-to-point", [mpi.p2p_s for mpi in launches]),
        ("collectives", [mpi.collective_s for mpi in launches]),
        ("others", [max(0.0, mpi.mpi_s - mpi.p2p_s - mpi.collective_s) for mpi in launches]),
    )
    base = [0.0] * len(launches)
    for number, (name, times_s) in enumerate(parts):
        heights = [value * scale for value in times_s]
        axes.bar(
            places, heights, bottom=base, width=0.8, color=_part_colour(number), hatch=hatch_of(number), label=name
        )
        area_values(
            axes,
            [(at - 0.4, low, at + 0.4, low + high) for at, low, high in zip(places, base, heights, strict=True)],
            [f"launch {at}, {name}: {plain_time(value)}" for at, value in zip(places, times_s, strict=True)],
        )
        base = [low + high for low, high in zip(base, heights, strict=True)]
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    bare_axes(axes)


def draw_profiles(profiles: Sequence[MpiProfile]) -> Iterator[Figure]:
    """The shares of time and mean sizes of all profiles, one figure."""
    shown = [one for one in profiles if one.columns.mpi_percent is not None][:_MAX_PROFILES]
    if not shown:
        return
    fig = canvas(height_in=0.9 + 0.42 * len(shown))
    axes: Axes = fig.subplots()
    for place, profile in enumerate(reversed(shown)):
        left = 0.0
        for number, (name, share) in enumerate(_shares(profile)):
            axes.barh(
                place, share, left=left, height=0.6, color=_part_colour(number), hatch=hatch_of(number),
                label=name if place == 0 else None,
            )  # fmt: skip
            area_values(
                axes, [(left, place - 0.3, left + share, place + 0.3)],
                [f"{_name(profile)}: {name} {percent(share / 100)} %"],
            )  # fmt: skip
            left += share
        axes.text(left + 1, place, _sizes_text(profile), va="center")
    axes.set_yticks(range(len(shown)), [short(_name(one), max_length=40) for one in reversed(shown)])
    axes.set_xlim(0, 130)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("share of the program's time / %")
    bare_axes(axes, grid="x")
    axes.legend(ncols=3, loc="lower left", bbox_to_anchor=(0, 1))
    yield finish(
        fig, key="rails-profiles", title="Use of MPI by programs", caption=_PROFILES,
        description=" ".join(
            f"{_name(one)}: {', '.join(f'{name} {percent(share / 100)}' for name, share in _shares(one))}; "
            f"{_sizes_text(one)}."
            for one in shown
        ),
    )  # fmt: skip


def _name(profile: MpiProfile) -> str:
    return f"{profile.source}, {profile.ranks} {'rank' if profile.ranks == 1 else 'ranks'}"


def _shares(profile: MpiProfile) -> tuple[tuple[str, float], ...]:
    """Percent of the time in each kind of calls."""
    columns = profile.columns
    p2p, collective = columns.p2p_percent or 0.0, columns.coll_percent or 0.0
    others = max(0.0, (columns.mpi_percent or 0.0) - p2p - collective)
    return (("point-to-point", p2p), ("collectives", collective), ("others", others))


def _sizes_text(profile: MpiProfile) -> str:
    sent, reduced = (
        "none" if value is None else size(round(value))
        for value in (profile.columns.mean_send_bytes, profile.columns.mean_coll_bytes)
    )
    return f"{sent}, {reduced}"


def _part_colour(number: int) -> str:
    return ISOLATED.placeholder if number == 2 else tone_of(number).placeholder
