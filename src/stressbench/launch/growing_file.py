"""Progress of a launch, from its run file."""

import os
from pathlib import Path

_START = b'{"type":"end"'
_LONGEST_BYTES = 4096


class GrowingFile:
    """Watches a run file for new records, since a file that is continued or overwritten contains older ones."""

    def __init__(self, run_file: Path) -> None:
        self._file = run_file
        self._before = self._ending()
        self._state_before = self._state()

    def has_grown(self) -> bool:
        """Whether the launch has written to the file. Its ranks handle stop requests by then."""
        return self._state() != self._state_before

    def has_ended(self) -> bool:
        """Whether the file ends with a new end record."""
        now = self._ending()
        return now != self._before and now.endswith(b"\n") and now.rstrip().rpartition(b"\n")[2].startswith(_START)

    def _state(self) -> tuple[int, int, int] | None:
        """Inode, size and time of the last change, None for a missing or empty file."""
        try:
            found = self._file.stat()
        except OSError:
            return None
        return (found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size else None

    def _ending(self) -> bytes:
        try:
            with self._file.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _LONGEST_BYTES))
                return file.read()
        except OSError:
            return b""
