"""Whether a launch has written its last record, from the end of its file."""

import os
from pathlib import Path

_START = b'{"type":"end"'
_LONGEST_BYTES = 4096


class EndRecord:
    """Looks at a run file from now on: one that is continued may hold an end record from before."""

    def __init__(self, run_file: Path) -> None:
        self._file = run_file
        self._before = self._ending()

    def is_written(self) -> bool:
        """Whether the file ends with a new end record."""
        now = self._ending()
        return now != self._before and now.endswith(b"\n") and now.rstrip().rpartition(b"\n")[2].startswith(_START)

    def _ending(self) -> bytes:
        try:
            with self._file.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _LONGEST_BYTES))
                return file.read()
        except OSError:
            return b""
