"""Progress of a launch, from its run file."""

import os
from pathlib import Path

_START = b'{"type":"end"'
_LONGEST_BYTES = 4096


class GrowingFile:
    """Watches a run file for new records, since a file that is continued or overwritten contains older ones."""

    def __init__(self, run_file: Path) -> None:
        self._file = run_file
        self._ending_before = self._ending()
        self._state_before = self._state()

    def has_grown(self) -> bool:
        """Whether the launch has written to the file. Its ranks handle stop requests by then."""
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
        """Inode, size and time of the last change, None for a missing or empty file."""
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
