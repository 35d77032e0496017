"""Estimates of how long runs take, from the study file and from completed runs. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from stressbench.experiments.study.run_states import RunState, State
from stressbench.formats.study.tables import RunTable

_JOB = re.compile(r"^[ \t]*\[JOB_NAME\]", re.MULTILINE)
_CONGESTOR = re.compile(r"^[ \t]*\[ROLE\]\s+(?:congestor|background)\b", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """The least and the most time that a run takes, s; None: unknown."""

    least_s: float | None
    most_s: float | None


def bounds_of(run: RunTable, *, workload: str) -> Bounds:
    """Least time from `min_time`, rounds and measured jobs in the text `workload`; most time from `time_limit`."""
    least = None
    if run.min_time is not None and run.isolated is not None and run.contended is not None and not run.until_interval:
        jobs = len(_JOB.findall(workload)) - len(_CONGESTOR.findall(workload))
        least = (run.isolated * jobs + run.contended) * run.min_time.value
    return Bounds(least_s=least, most_s=None if run.time_limit is None else run.time_limit.value)


def seconds_left(pending: Sequence[RunState], *, all_states: Sequence[RunState]) -> float | None:
    """Estimated time of the `pending` runs, s: the mean of completed runs of the same cell, or else of all.

    None where no run is completed.
    """
    durations = [
        (one.run.cell.id, one.duration_s)
        for one in all_states
        if one.state is State.done and one.duration_s is not None
    ]
    if not durations:
        return 0.0 if not pending else None
    overall_mean = fmean(duration for _, duration in durations)
    by_cell: dict[str, list[float]] = {}
    for cell, duration in durations:
        by_cell.setdefault(cell, []).append(duration)
    return sum(fmean(by_cell[one.run.cell.id]) if one.run.cell.id in by_cell else overall_mean for one in pending)
