"""Claims on the runs of a study, so that several commands may carry them out at the same time, each run once.

A claim is an exclusive lock on a file of its own. The kernel gives it up however its process ends, and the next
process that claims the run takes over the file.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from stressbench.formats.errors import reason_of
from stressbench.formats.files import is_locked, open_journal
from stressbench.formats.files.studies import RUNS, SETUP_CLAIM
from stressbench.formats.study.errors import StudyMistake


class Claims(Protocol):
    """The runs that this command carries out."""

    @property
    def are_shared(self) -> bool:
        """Whether other commands carry out runs of the study at the same time."""

    def take(self, run: str) -> bool:
        """Claim a run; False where another command has claimed it."""

    def release(self, run: str) -> None:
        """Give up a claim."""


class AllRuns:
    """Claims of a command that has the study for itself."""

    are_shared = False

    def take(self, run: str) -> bool:  # noqa: ARG002  Claims's
        """Always True."""
        return True

    def release(self, run: str) -> None:
        """Nothing to give up."""


class SharedRuns:
    """Claims in a study directory that is shared with other commands, also those on other hosts."""

    are_shared = True

    def __init__(self, path: Path) -> None:
        self._folder = path / RUNS
        self._taken: dict[str, int] = {}

    def take(self, run: str) -> bool:
        """Claim a run. Raises StudyMistake where the file system has no locks."""
        path = self._folder / f".{run}.claim"
        try:
            descriptor = _lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as fault:
            raise StudyMistake(f"{path}: {reason_of(fault)}; --share needs a file system with locks (flock)") from fault
        if descriptor is None:
            return False
        self._taken[run] = descriptor
        return True

    def release(self, run: str) -> None:
        """Give up a claim, and remove its file."""
        _unlock(self._folder / f".{run}.claim", self._taken.pop(run))

    def release_all(self) -> None:
        """Give up all claims, and remove files of commands that were killed."""
        for run in tuple(self._taken):
            self.release(run)
        for path in self._folder.glob(".*.claim"):
            with suppress(OSError):
                descriptor = _lock(path, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if descriptor is not None:
                    _unlock(path, descriptor)


@contextmanager
def shared_runs(path: Path) -> Iterator[SharedRuns]:
    """Context of claims in the study directory at `path`."""
    claims = SharedRuns(path)
    try:
        yield claims
    finally:
        claims.release_all()


@contextmanager
def exclusive_set_up(path: Path) -> Iterator[None]:
    """Context in which no other command sets up the study directory at `path`, if its file system supports locks.

    Makes the directory if it is missing. Raises OSError.
    """
    descriptor = _set_up_claim(path)
    try:
        yield
    finally:
        if descriptor is not None:
            _unlock(path / SETUP_CLAIM, descriptor)


def _set_up_claim(path: Path) -> int | None:
    """Descriptor of the claim, None if there are no locks. Another command may remove its new directory meanwhile."""
    while True:
        path.mkdir(parents=True, exist_ok=True)
        try:
            return _lock(path / SETUP_CLAIM, fcntl.LOCK_EX)
        except FileNotFoundError:
            continue
        except OSError:
            with suppress(OSError):
                (path / SETUP_CLAIM).unlink()
            return None


def is_any_claimed(path: Path) -> bool:
    """Whether a command has claimed a run of the study directory at `path`."""
    return any(is_locked(claim) for claim in (path / RUNS).glob(".*.claim"))


def _lock(path: Path, how: int) -> int | None:
    """Descriptor of the locked file `path`, None where another process has it. Raises OSError.

    A process that gives up its claim removes the file, which another one may have opened just before.
    """
    while True:
        descriptor = open_journal(path)
        try:
            fcntl.flock(descriptor, how)
            with suppress(FileNotFoundError):
                if path.stat().st_ino == os.fstat(descriptor).st_ino:
                    return descriptor
        except BlockingIOError:
            os.close(descriptor)
            return None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _unlock(path: Path, descriptor: int) -> None:
    with suppress(OSError):
        path.unlink()
    os.close(descriptor)
