"""What readers of files raise when a file cannot be used, and how they name the reason."""

from pathlib import Path

from stressbench.errors import UserError
from stressbench.formats.files import Refused


def reason_of(fault: OSError) -> str:
    """What the system said, or why the file is refused, as the end of a sentence."""
    reason = fault.strerror or str(fault)
    return reason if isinstance(fault, Refused) else reason.lower()


class _FileError(UserError):
    """A file is broken; the message is `FILE[:LINE]: what stands there; what was expected`."""

    def __init__(self, message: str, *, path: Path, line: int | None = None) -> None:
        """Name `path` and, where one line is to blame, its number counted from 1."""
        self.path = path
        self.line = line
        place = str(path) if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {message}")


class RunFileError(_FileError):
    """A run file is broken."""


class TraceFileError(_FileError):
    """A trace file is broken, or holds too little for what was asked."""


class ProfileFileError(_FileError):
    """A sensitivity profile or a file of co-runs cannot be used."""


class SuiteFileError(UserError):
    """The file is no valid protocol of the suite; the message names file and line."""
