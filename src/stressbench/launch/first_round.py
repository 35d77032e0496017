"""Whether a launch has finished its first round, from its run file."""

from pathlib import Path

_MARK = b'{"type":"round"'


class FirstRound:
    """Watches a new run file."""

    def __init__(self, run_file: Path) -> None:
        self._file = run_file
        self._size = 0

    def is_written(self) -> bool:
        """Whether the file contains a complete round record."""
        try:
            size = self._file.stat().st_size
            if size == self._size:
                return False
            self._size = size
            return any(line.startswith(_MARK) for line in self._file.read_bytes().split(b"\n")[:-1])
        except OSError:
            return False
