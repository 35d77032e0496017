"""A process that is known again: its id and when it started, since ids are used again."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_STARTED = 19  # field 22 of /proc/PID/stat, counted behind the name


@dataclass(frozen=True, kw_only=True)
class Process:
    """`started` counts the kernel's ticks since it booted."""

    pid: int
    started: int

    @property
    def is_alive(self) -> bool:
        """Whether this very process is there and no zombie."""
        return find_process(self.pid) == self

    def kill(self, *, holding: os.stat_result) -> None:
        """End it now; nothing happens where it has ended already, or does not hold this file open."""
        try:
            descriptor = os.pidfd_open(self.pid)
        except (OSError, OverflowError):
            return
        try:
            if self.is_alive and self._holds(holding):  # the descriptor stands for what was looked at
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return
        finally:
            os.close(descriptor)

    def _holds(self, wanted: os.stat_result) -> bool:
        try:
            return any(os.path.samestat(found, wanted) for found in _opened_by(self.pid))
        except OSError:  # of another user
            return False


def _opened_by(pid: int) -> Iterator[os.stat_result]:
    for path in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            yield path.stat()


def find_process(pid: int) -> Process | None:
    """The process that has this id now; None where none lives."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else Process(pid=pid, started=int(fields[_STARTED]))
