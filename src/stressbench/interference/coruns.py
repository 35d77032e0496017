"""Co-runs that were measured: JSON Lines written by anybody, or a run file of StressBench's own.

A line of the former is described by schema/observation.schema.json (docs/how-to/predict.md).
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

import orjson
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, model_validator
from pydantic.dataclasses import dataclass

from stressbench.formats.errors import reason_of
from stressbench.formats.files import FIRST_MISTAKE, Shape, json_of, limits, open_regular, read_bytes
from stressbench.formats.run import Job, Role, Run, read_run
from stressbench.formats.run.records import MoreThanZero
from stressbench.interference.complaints import complaint_of, shown
from stressbench.interference.errors import ProfileFileError
from stressbench.interference.profile import Name, fitting_name
from stressbench.stats import congestion_impact, select

SCHEMA_VERSION: Literal[1] = 1
_WHAT_IT_IS = 'expected a co-run, {"type": "observation", ...}, or a run file of stressbench'

Bounds: TypeAlias = tuple[MoreThanZero, MoreThanZero]


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(extra="forbid"))
class CoRun:
    """Time of `victim` beside all `aggressors` at once over its time alone.

    `interval`: 95 %, around the slow-down; None where nobody knows. `machine`: as profiles name it; None, unknown.
    `source` says in words where the numbers come from.
    """

    type: Literal["observation"] = "observation"
    schema_version: Literal[1] = SCHEMA_VERSION
    victim: Name
    aggressors: Annotated[tuple[Name, ...], FIRST_MISTAKE, Field(min_length=1)]
    slowdown: MoreThanZero
    interval: Bounds | None
    machine: Name | None = None
    source: Annotated[str, Field(min_length=1)]

    @model_validator(mode="after")
    def _around_the_slowdown(self) -> Self:
        if self.interval is not None and not self.interval[0] <= self.slowdown <= self.interval[1]:
            raise ValueError(f"interval {shown(self.interval)} does not hold the slowdown, {self.slowdown:g}")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A co-run that says nothing here, and why."""

    victim: str
    aggressors: tuple[str, ...]
    source: str
    reason: str


ADAPTER: TypeAdapter[CoRun] = TypeAdapter(CoRun)
_SHAPE: Shape[CoRun] = Shape(CoRun, keys=limits.KEYS)


def read_coruns(path: Path) -> tuple[CoRun | LeftOut, ...]:
    """All of a file, whichever of both it is. Raises ProfileFileError, RunFileError."""
    try:
        with open_regular(path, limit=limits.RUN) as file:
            own = _begins_a_run(file.readline(limits.LINE))
        if not own:
            return parse_coruns(read_bytes(path, limit=limits.PROFILE), source=path)
    except OSError as fault:
        raise ProfileFileError(reason_of(fault), path=path) from fault
    return coruns_of(read_run(path))


def parse_coruns(text: str | bytes, *, source: Path) -> tuple[CoRun, ...]:
    """A co-run a line; empty lines say nothing. ProfileFileError names `source`, the line, the key, what stands there
    and what was expected.
    """
    raw = text.encode() if isinstance(text, str) else text
    lines = [(number, line) for number, line in enumerate(raw.split(b"\n"), 1) if line.strip()]
    if not lines:
        raise ProfileFileError(f"the file is empty; {_WHAT_IT_IS}", path=source)
    return tuple(_parsed(line, source, number) for number, line in lines)


def to_line(co_run: CoRun) -> str:
    """With its newline; `parse_coruns` gives it back."""
    return ADAPTER.dump_json(co_run).decode() + "\n"


def coruns_of(run: Run) -> tuple[CoRun | LeftOut, ...]:
    """Of each job measured alone and beside all the others: its congestion impact (docs/explanation/statistics.md).

    Jobs become applications under names that profiles take. ProfileFileError where nobody is beside anybody.
    """
    if len(run.jobs) < 2:
        raise ProfileFileError(f"{len(run.jobs)} job: a co-run has two or more", path=run.path)
    names = [fitting_name(job.name) for job in run.jobs]
    return tuple(
        _corun_of(run, job, victim=names[number], aggressors=(*names[:number], *names[number + 1 :]))
        for number, job in enumerate(run.jobs)
        if job.role is not Role.background
    )


def _corun_of(run: Run, job: Job, *, victim: str, aggressors: tuple[str, ...]) -> CoRun | LeftOut:
    found, source = congestion_impact(select(run, job=job.job).rounds), _source(run)
    if found.ratio is None:
        return LeftOut(victim=victim, aggressors=aggressors, source=source, reason=str(found.reason))
    bounds = None if found.low is None or found.high is None else (found.low, found.high)
    return CoRun(victim=victim, aggressors=aggressors, slowdown=found.ratio, interval=bounds, source=source)


def _source(run: Run) -> str:
    simulation = run.header.simulation
    return run.path.name if simulation is None else f"{run.path.name}, simulated by {simulation}"


def _begins_a_run(line: bytes) -> bool:
    try:
        first: Any = json_of(line)
    except orjson.JSONDecodeError:
        return False
    return isinstance(first, dict) and first.get("type") == "header"


def _parsed(line: bytes, source: Path, number: int) -> CoRun:
    try:
        raw = json_of(line)
    except orjson.JSONDecodeError as fault:
        raise ProfileFileError(f"no JSON: {fault.msg}; {_WHAT_IT_IS}", path=source, line=number) from fault
    if not isinstance(raw, dict) or raw.get("type") != "observation":
        found = raw.get("type") if isinstance(raw, dict) else raw
        raise ProfileFileError(f"type {shown(found)}: {_WHAT_IT_IS}", path=source, line=number)
    version = raw.get("schema_version")
    if version is True or version != SCHEMA_VERSION:
        said = f"schema_version {shown(version)}: this StressBench reads version {SCHEMA_VERSION}"
        raise ProfileFileError(said, path=source, line=number)
    try:
        return _SHAPE.validate_json(line, strict=True)
    except ValidationError as fault:
        raise ProfileFileError(complaint_of(fault), path=source, line=number) from fault
