"""Measured co-runs, read from a JSON Lines file of any origin or computed from a run file of StressBench."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from stressbench.formats.errors import ProfileFileError, reason_of
from stressbench.formats.files import limits, open_regular, parse_json, read_bytes
from stressbench.formats.profiles.coruns import CoRun, parse_coruns
from stressbench.formats.profiles.profile import valid_name
from stressbench.formats.run import Job, Role, Run, read_run
from stressbench.stats import congestion_impact, select


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusableCoRun:
    """A co-run that cannot be used, and the reason."""

    victim: str
    aggressors: tuple[str, ...]
    source: str
    reason: str


def read_coruns(path: Path) -> tuple[CoRun | UnusableCoRun, ...]:
    """All co-runs of a JSON Lines file or of a run file. Raises ProfileFileError and RunFileError."""
    try:
        with open_regular(path, limit=limits.RUN) as file:
            is_run_file = _is_run_header(file.readline(limits.LINE))
        if not is_run_file:
            return parse_coruns(read_bytes(path, limit=limits.PROFILE), source=path)
    except OSError as fault:
        raise ProfileFileError(reason_of(fault), path=path) from fault
    return coruns_of(read_run(path))


def coruns_of(run: Run) -> tuple[CoRun | UnusableCoRun, ...]:
    """The congestion impact on each measured job by all other jobs (docs/explanation/statistics.md).

    Job names are converted to valid application names. Raises ProfileFileError for a run of a single job.
    """
    if len(run.jobs) < 2:
        raise ProfileFileError(f"{len(run.jobs)} job: a co-run has two or more", path=run.path)
    names = [valid_name(job.name) for job in run.jobs]
    return tuple(
        _corun_of(run, job, victim=names[number], aggressors=(*names[:number], *names[number + 1 :]))
        for number, job in enumerate(run.jobs)
        if job.role is not Role.background
    )


def _corun_of(run: Run, job: Job, *, victim: str, aggressors: tuple[str, ...]) -> CoRun | UnusableCoRun:
    impact, source = congestion_impact(select(run, job=job.job).rounds), _source(run)
    if impact.ratio is None:
        return UnusableCoRun(victim=victim, aggressors=aggressors, source=source, reason=str(impact.reason))
    bounds = None if impact.low is None or impact.high is None else (impact.low, impact.high)
    return CoRun(victim=victim, aggressors=aggressors, slowdown=impact.ratio, interval=bounds, source=source)


def _source(run: Run) -> str:
    simulation = run.header.simulation
    return run.path.name if simulation is None else f"{run.path.name}, simulated by {simulation}"


def _is_run_header(line: bytes) -> bool:
    try:
        record: Any = parse_json(line)
    except orjson.JSONDecodeError:
        return False
    return isinstance(record, dict) and record.get("type") == "header"
