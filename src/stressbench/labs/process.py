"""Processes identified by id and start time, since process ids are reused."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

SUPERVISOR = "stressbench.labs.supervisor"
"""The module of the first process of a lab, as its command line names it."""
_STARTED = 19  # field 22 of /proc/PID/stat, as an index into the fields after the name


@dataclass(frozen=True, kw_only=True)
class Process:
    """A process; `started` is its start time in clock ticks since boot."""

    pid: int
    started: int

    @property
    def is_alive(self) -> bool:
        """Whether this process still exists and is no zombie."""
        return find_process(self.pid) == self

    def kill(self, *, holding: os.stat_result) -> None:
        """Send SIGKILL, unless the process has ended or does not have the file `holding` open."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except (OSError, OverflowError):
            return
        try:
            if self.is_alive and self._holds(holding):  # checked after opening: the descriptor is this process
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return
        finally:
            os.close(descriptor)

    def _holds(self, file: os.stat_result) -> bool:
        try:
            return any(os.path.samestat(opened, file) for opened in _opened_by(self.pid))
        except OSError:  # a process of another user
            return False


def _opened_by(pid: int) -> Iterator[os.stat_result]:
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            yield path.stat()


def find_process(pid: int) -> Process | None:
    """The running process with this id; None if there is none or it is a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else Process(pid=pid, started=int(fields[_STARTED]))
