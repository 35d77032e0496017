"""Figures of co-runs: slowdowns with intervals, and the executions of one contended period."""

from stressbench.report.document import Figure
from stressbench.report.drawing import area_values, bare_axes, canvas, finish, point_values
from stressbench.report.figures.impacts import ratio_axis
from stressbench.report.names import short
from stressbench.report.palette import BACKGROUND, FOREGROUND, tone_of
from stressbench.report.plotting import Axes
from stressbench.report.units import MISSING, factor_and_interval, percent, time, time_unit
from stressbench.results.coruns import TIME, Corun, CorunExecution, CorunSlowdown


def draw_slowdowns(result: Corun) -> Figure | None:
    """Forest plot of the slowdowns of times; None if there is none."""
    known = [one for one in result.slowdowns if one.measure == TIME and one.slowdown is not None]
    if not known:
        return None
    fig = canvas(height_in=0.95 + 0.42 * len(known))
    axes = fig.subplots()
    for line, one in enumerate(known):
        ratio = one.slowdown
        assert ratio is not None
        colour = tone_of(result.programs.index(one.program)).placeholder
        if ratio.low is not None and ratio.high is not None:
            axes.plot([ratio.low, ratio.high], [line, line], color=colour, linewidth=3.2, solid_capstyle="butt")
        axes.plot(ratio.value, line, "D", color=colour, markersize=7.5, markeredgecolor=BACKGROUND.placeholder)
        point_values(axes, [ratio.value], [line], [f"{_label(one)}: {_text(one)}"])
        axes.text(
            1.01, line, _text(one), transform=axes.get_yaxis_transform(), va="center", fontsize=9,
            color=FOREGROUND.placeholder,
        )  # fmt: skip
    axes.set_yticks(range(len(known)), [_label(one) for one in known])
    axes.set_ylim(len(known) - 0.5, -0.5)
    ratio_axis(axes)
    axes.set_xlabel("slowdown (time beside the others / isolated time)")
    listed = "; ".join(f"{_label(one)} {_text(one)}" for one in known)
    return finish(
        fig, key="slowdowns", title="Slowdown of each program beside the others",
        caption="Diamonds: estimates over blocks; right of the line at 1 the program is slowed. Bars: 95 % intervals; "
        "where one includes 1, no slowdown is shown.",
        description=f"Slowdowns with 95 % intervals: {listed}.",
    )  # fmt: skip


def _label(one: CorunSlowdown) -> str:
    return f"{short(one.program)} beside {short(' + '.join(one.others))}"


def _text(one: CorunSlowdown) -> str:
    ratio = one.slowdown
    return "" if ratio is None else factor_and_interval(ratio.value, ratio.low, ratio.high)


def draw_periods(result: Corun) -> Figure | None:
    """Executions of the first contended period over time, a line for each program; None if there is none."""
    first = next((one for one in result.executions if one.beside), None)
    if first is None:
        return None
    members = {first.program, *first.beside.split("+")}
    shown = [
        one
        for one in result.executions
        if one.block == first.block and one.beside and {one.program, *one.beside.split("+")} == members
    ]
    programs = [name for name in result.programs if name in members]
    unit = time_unit(one.ended_s for one in shown)
    fig = canvas(height_in=0.9 + 0.4 * len(programs))
    axes = fig.subplots()
    for one in shown:
        _draw_execution(axes, one, line=programs.index(one.program), per_second=unit.per_second)
    axes.set_yticks(range(len(programs)), [short(name) for name in programs])
    axes.set_ylim(len(programs) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"time since the period began / {unit.name}")
    bare_axes(axes, grid="x")
    counted = sum(one.counts for one in shown)
    return finish(
        fig, key="period", title=f"One period: {counted} of {len(shown)} executions count",
        caption="Filled: executions that count. Pale: executions that the others did not run beside for long enough, "
        "and those that were ended with the period. The gaps are starts of ranks.",
        description=f"Executions of {', '.join(programs)} in one contended period; {counted} of {len(shown)} count.",
    )  # fmt: skip


def _draw_execution(axes: Axes, one: CorunExecution, *, line: int, per_second: float) -> None:
    began_s = one.ended_s - (one.time_s or one.ended_s - one.began_s)
    axes.barh(
        line, (one.ended_s - began_s) * per_second, left=began_s * per_second, height=0.55,
        color=tone_of(line).placeholder, alpha=1.0 if one.counts else 0.3, edgecolor=BACKGROUND.placeholder,
        linewidth=1,
    )  # fmt: skip
    box = (began_s * per_second, line - 0.275, one.ended_s * per_second, line + 0.275)
    area_values(axes, [box], [_execution_text(one, began_s)])


def _execution_text(one: CorunExecution, began_s: float) -> str:
    overlap = MISSING if one.overlap is None else f"{percent(one.overlap)} %"
    counts = "counts" if one.counts else "does not count"
    return f"{one.program}: {time(began_s)} to {time(one.ended_s)}, beside the others for {overlap}, {counts}"
