"""The progress of a study: the state of each of its runs."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field


class State(StrEnum):
    """State of a run. `begun`: its run file can be continued. `skipped`: not needed for narrow intervals."""

    waiting = "waiting"
    begun = "begun"
    failed = "failed"
    done = "done"
    skipped = "spared"


@dataclass(frozen=True, kw_only=True)
class RunStatus:
    """A run and its state. `file`: its run file in effect. `status` and `reason`: those of its last failure.

    `duration_s` is unknown (null) for runs that are not done.
    """

    run: str
    cell: str
    repetition: int
    state: State
    file: str | None
    failures: int
    status: int | None
    reason: str | None
    duration_s: float | None
    is_open: Annotated[bool, Field(exclude=True)]
    """Whether the run is still carried out or repeated."""
    description: Annotated[str, Field(exclude=True)]
    """The values of the factors that vary: `placement = linear, rate = 1/2`."""


@dataclass(frozen=True, kw_only=True)
class StudyStatus:
    """Numbers of runs by state, and each run. `left_s`: estimate of the time left, s; null: unknown.

    `complaints` are about lines of the manifest that cannot be read.
    """

    done: int
    failed: int
    spared: int
    total: int
    left_s: float | None
    complaints: tuple[str, ...]
    runs: tuple[RunStatus, ...]
