"""Watches a run file: `look` says how the run is at the moment. Nothing is written."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias

from stressbench.experiments.study.directory import now
from stressbench.experiments.watching.run_progress import RunProgress
from stressbench.formats.files import is_locked
from stressbench.formats.run import End, EndReason
from stressbench.results.watching import Activity, Watched

Clock: TypeAlias = Callable[[], datetime]
ANOTHER_HOST = "no process of this machine runs it, but its file grows: another host may run it"
_REASONS = {
    EndReason.interrupted: "the run was interrupted",
    EndReason.time_limit: "its time limit ended the run",
    EndReason.fault: "a fault ended the run",
}


class RunWatcher:
    """Watches one run file. `is_alive`: whether the run goes on, where that is known otherwise than by its lock."""

    def __init__(
        self, path: Path, *, on: str | None = None, is_alive: Callable[[], bool] | None = None, clock: Clock = now
    ) -> None:
        self._path = path
        self._on = on
        self._is_alive = is_alive
        self._clock = clock
        self._progress = RunProgress(path)

    def look(self) -> Watched:
        """The present state, for which only what was added to the file is read."""
        is_running = is_locked(self._path) if self._is_alive is None else self._is_alive()
        self._progress.look()
        activity = self._activity(is_running=is_running)
        at = self._clock()
        run = self._progress.watched(
            at, run=self._path.stem, file=str(self._path), on=self._on, is_running=activity is Activity.running
        )
        has_begun = self._progress.header is not None
        return Watched(
            path=str(self._path), at=at, activity=activity, sentence=self._sentence(activity),
            left_s=run.left_s, most_s=run.most_s, ends_at=ends_at(at, run.left_s), study=None,
            runs=(run,) if has_begun else (), cells=(), warnings=(),
        )  # fmt: skip

    def _activity(self, *, is_running: bool | None) -> Activity:
        if is_running:
            return Activity.running
        if self._progress.is_complete:
            return Activity.ended
        if self._progress.fault is not None:
            return Activity.unknown
        if self._progress.header is None:
            return Activity.waiting
        return Activity.unknown if is_running is None or self._progress.has_grown else Activity.stopped

    def _sentence(self, activity: Activity) -> str:
        match activity:
            case Activity.waiting:
                return f"{self._path} {'has no records' if self._path.exists() else 'does not exist'} yet"
            case Activity.running:
                return "running" if self._progress.header is not None else "starting"
            case Activity.ended:
                return "complete"
            case Activity.unknown:
                return self._progress.fault or ANOTHER_HOST
        return f"nothing runs: {_why(self._progress.end)}; `stressbench run --continue {self._path}` continues"


def ends_at(at: datetime, left_s: float | None) -> datetime | None:
    """The time `left_s` after `at`; None where that is unknown."""
    return None if left_s is None else at + timedelta(seconds=left_s)


def _why(end: End | None) -> str:
    if end is None:
        return "the run was killed, or its machine failed"
    return _REASONS.get(end.reason, "the run ended before all rounds were done")
