"""What `stressbench study watch` and `run --watch` show: a study or a run as its files are at one moment."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from stressbench.formats.run import Role
from stressbench.results.study_status import StudyStatus


class Activity(StrEnum):
    """Whether work is being done. `waiting`: nothing exists yet. `stopped`: nothing runs although work is left."""

    waiting = "waiting"
    running = "running"
    stopped = "stopped"
    ended = "ended"
    unknown = "unknown"


@dataclass(frozen=True, kw_only=True)
class NarrowedInterval:
    """A 95 % interval as it was after the first `count` blocks of a run, or the first `count` runs of a cell."""

    count: int
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class WatchedJob:
    """A job of a run. `hosts`: in node order. Rounds are those completed; `reason` says why there is no interval."""

    name: str
    role: Role
    nodes: str
    hosts: tuple[str, ...]
    isolated_rounds: int
    contended_rounds: int
    ratio: float | None
    low: float | None
    high: float | None
    reason: str | None
    narrowing: tuple[NarrowedInterval, ...]


@dataclass(frozen=True, kw_only=True)
class WatchedRun:
    """A run whose file is being written, or was when its study or launch ended.

    `description`: the values of the factors that vary. `on`: the launch target. `launch`: number of the newest launch,
    from 0. `rounds`: those completed; `planned_rounds` is null where a stopping rule decides. `newest_round`: text such
    as `contended` or `isolated CG`. `since_change_s`: time since the file was last written. `left_s`: estimated time
    left; `most_s`: time until its limit. Times are in seconds; unknown is null.
    """

    run: str
    file: str
    description: str
    on: str | None
    launch: int | None
    started_at: datetime | None
    ranks: int | None
    rounds: int
    planned_rounds: int | None
    newest_round: str | None
    since_change_s: float | None
    left_s: float | None
    most_s: float | None
    jobs: tuple[WatchedJob, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class CellImpact:
    """Congestion impact of a measured job over `runs` runs of a cell, which may include the one that is running."""

    job: str
    ratio: float | None
    low: float | None
    high: float | None
    runs: int
    reason: str | None
    narrowing: tuple[NarrowedInterval, ...]


@dataclass(frozen=True, kw_only=True)
class WatchedCell:
    """A cell of a study. `done` of its `planned` runs are done; `unread` of those have not been read yet."""

    cell: str
    description: str
    done: int
    planned: int
    unread: int
    impacts: tuple[CellImpact, ...]


@dataclass(frozen=True, kw_only=True)
class Watched:
    """A study or a run at the time `at`. `study` is null for a single run, and before a study exists.

    `sentence` says what happens, or why nothing does. `left_s` and `ends_at`: the estimated end; `most_s`: time left at
    most, where time limits determine it. Times are in seconds; unknown is null.
    """

    path: str
    at: datetime
    activity: Activity
    sentence: str
    left_s: float | None
    most_s: float | None
    ends_at: datetime | None
    study: StudyStatus | None
    runs: tuple[WatchedRun, ...]
    cells: tuple[WatchedCell, ...]
    warnings: tuple[str, ...]

    @property
    def is_final(self) -> bool:
        """Whether nothing is left to do."""
        return self.activity is Activity.ended
