"""What a reader of run files says when a file cannot be used."""

from pathlib import Path


class RunFileError(Exception):
    """A run file is broken: a person's message, `FILE:LINE: what stands there; what was expected`."""

    def __init__(self, message: str, *, path: Path, line: int | None = None) -> None:
        """Name `path` and, where one line is to blame, its number counted from 1."""
        self.path = path
        self.line = line
        place = str(path) if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {message}")
