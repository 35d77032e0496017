"""How far a launch is, from its run file."""

import os
from pathlib import Path

_START = b'{"type":"end"'
_LONGEST_BYTES = 4096


class GrowingFile:
    """Looks at a run file from now on: one that is continued, or overwritten, holds records from before."""

    def __init__(self, run_file: Path) -> None:
        self._file = run_file
        self._ending_before = self._ending()
        self._state_before = self._state()

    def has_grown(self) -> bool:
        """Whether the launch has written something; its ranks listen to requests to stop by then."""
        return self._state() != self._state_before

    def has_ended(self) -> bool:
        """Whether the file ends with a new end record."""
        ending = self._ending()
        return (
            ending != self._ending_before
            and ending.endswith(b"\n")
            and ending.rstrip().rpartition(b"\n")[2].startswith(_START)
        )

    def _state(self) -> tuple[int, int, int] | None:
        """None where there is no such file, or nothing in it yet."""
        try:
            status = self._file.stat()
        except OSError:
            return None
        return (status.st_ino, status.st_size, status.st_mtime_ns) if status.st_size else None

    def _ending(self) -> bytes:
        try:
            with self._file.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _LONGEST_BYTES))
                return file.read()
        except OSError:
            return b""
