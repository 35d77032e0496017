"""Utilisations, latencies and phases as words and tables, for profiles and for measurements."""

from collections.abc import Sequence
from typing import Protocol

from stressbench.interference.impact_analysis import PhaseEstimate
from stressbench.interference.probe_statistics import LatencySummary
from stressbench.interference.utilisation import Utilisation
from stressbench.report.document import Table, table_columns
from stressbench.report.run.sentences import percent_name, percentile_text
from stressbench.report.units import MISSING, factor, interval, percent, time, time_unit
from stressbench.stats.intervals import Interval

UNKNOWN = "cannot tell: "
"""How the text of an unknown utilisation begins."""


class _WithUtilisation(Protocol):
    @property
    def utilisation(self) -> Utilisation: ...


def utilisation_text(utilisation: Utilisation) -> str:
    """A utilisation: `41.2 % [38.0, 44.9]`, or the reason why it is unknown."""
    if utilisation.value is not None:
        known = utilisation.low is not None and utilisation.high is not None
        bounds = f"{percent(utilisation.low)}, {percent(utilisation.high)}" if known else "no interval"
        return f"{percent(utilisation.value)} % [{bounds}]"
    least = "" if not utilisation.low else f"at least {percent(utilisation.low)} %; "
    most = "" if utilisation.high is None else f"at most {percent(utilisation.high)} %; "
    return f"{UNKNOWN}{least}{most}{utilisation.reason}"


def utilisation_cell(one: _WithUtilisation) -> str:
    """A utilisation in %: `41.2 [38.0, 44.9]`, a lower bound, or a dash."""
    utilisation = one.utilisation
    if utilisation.value is None:
        return MISSING if utilisation.low is None else f"at least {percent(utilisation.low)}"
    return utilisation_text(utilisation).replace(" %", "")


def slowdown_cell(slowdown: Interval) -> str:
    """A slowdown with its interval: `1.42 [1.38, 1.47]`."""
    return f"{factor(slowdown.centre)} {interval(slowdown.low, slowdown.high)}"


def latency_table(idle: LatencySummary, loaded: LatencySummary | None, *, caption: str = "") -> Table:
    """One-way latencies of probes on the idle machine and beside the application."""
    sides = [("idle", idle), *([] if loaded is None else [("beside it", loaded)])]
    unit = time_unit(one.value_s for _, side in sides for one in side.percentiles)
    shares = [f"p{percent_name(one.share)} [95 %]" for one in idle.percentiles]
    return Table(
        title=f"Latencies, one way, in {unit.name}",
        columns=table_columns(("probes", "n", "mean", *shares), text_columns=1),
        rows=tuple(
            (name, f"{side.count:,}", time(side.mean_s, unit=unit),
             *(percentile_text(one, unit) for one in side.percentiles))
            for name, side in sides
        ),
        caption=caption,
    )  # fmt: skip


def phase_table(phases: Sequence[PhaseEstimate]) -> Table:
    """One row per phase."""
    return Table(
        title="Phases",
        columns=table_columns(("phase", "from / s", "to / s", "utilisation / %", "95 % interval"), text_columns=1),
        rows=tuple(
            (str(number), f"{one.began_s:.1f}", f"{one.ended_s:.1f}", percent(one.utilisation),
             f"[{percent(one.low)}, {percent(one.high)}]")
            for number, one in enumerate(phases, start=1)
        ),
        caption="From the application's start; within a phase latencies are alike.",
    )  # fmt: skip
