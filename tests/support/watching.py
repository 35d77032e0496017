"""A study on disk in each condition in which it can be watched, and a clock that stands still."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from stressbench.experiments.study.directory import Directory, locked, now
from stressbench.experiments.study.running import LaunchResult
from stressbench.formats.study.manifest import PolicyRecord, StartedRecord
from support.studies import PART, FakeLaunches, Killed, carry_out, study_in

STARTED_AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
"""Start of the launch in run files of `support.builders`."""


def at(seconds: float) -> datetime:
    """So many seconds after the start of the made-up launches."""
    return STARTED_AT + timedelta(seconds=seconds)


def begin_run(directory: Directory, number: int, text: str = PART) -> Path:
    """Record the start of a planned run, whose file has this text."""
    run = directory.study.runs[number]
    name = directory.file_of(run.id, attempt=1)
    directory.write(StartedRecord(run=run.id, at=now(), file=name, continues=False))
    (directory.path / name).write_text(text)
    return directory.path / name


def done_runs(directory: Directory, count: int) -> None:
    """Carry out so many runs, and kill the study in the next one."""
    try:
        carry_out(directory, FakeLaunches({count: Killed()}))
    except Killed:
        return


def killed_study(folder: Path, *, done: int = 0) -> Directory:
    """A study that was killed in the run after `done` ones."""
    directory = study_in(folder)
    done_runs(directory, done)
    return directory


def interrupted_study(folder: Path) -> Directory:
    """A study that was interrupted in its first run."""
    directory = study_in(folder)
    carry_out(directory, FakeLaunches({0: LaunchResult(status=130, reason="SIGINT", stop_requested=True)}))
    return directory


def finished_study(folder: Path, *, failing: bool = False) -> Directory:
    """A study all of whose runs are done, or, with `failing`, one of whose runs failed for good."""
    directory = study_in(folder)
    failed = LaunchResult(status=3, reason="a rank died")
    directory.write(PolicyRecord(at=now(), retries=0))
    carry_out(directory, FakeLaunches({0: failed} if failing else {}), retries=0)
    return directory


@contextmanager
def running(directory: Directory) -> Iterator[None]:
    """Context in which a process holds the lock of the study."""
    with locked(directory.path):
        yield


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Context in which an engine holds the lock of the run file."""
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
