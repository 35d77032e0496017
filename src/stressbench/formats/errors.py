"""Errors that readers of files raise, and the wording of their reasons."""

from pathlib import Path

from stressbench.errors import UserError
from stressbench.formats.excerpts import shortened
from stressbench.formats.files import FileRefused


def reason_of(fault: OSError) -> str:
    """Return the reason of an OSError, or why the file was refused, as the end of a sentence."""
    reason = fault.strerror or str(fault)
    return reason if isinstance(fault, FileRefused) else reason.lower()


def file_fault(path: Path) -> str | None:
    """Why `path` is no regular file, as in `a.sb does not exist`; None if it is one."""
    try:
        if path.is_file():
            return None
        return f"{path} is not a file" if path.exists() else f"{path} does not exist"
    except OSError as fault:  # such as a name that is too long
        return f"{shortened(str(path))}: {reason_of(fault)}"


class _FileError(UserError):
    """A file is broken; the message is `FILE[:LINE]: what was found; what was expected`."""

    def __init__(self, message: str, *, path: Path, line: int | None = None) -> None:
        """`line` is the number of the faulty line, counted from 1; None if no single line is at fault."""
        self.path = path
        self.line = line
        place = str(path) if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {shortened(message)}")


class RunFileError(_FileError):
    """A run file is broken."""


class TraceFileError(_FileError):
    """A trace file is broken, or holds too little for what was asked."""


class ProfileFileError(_FileError):
    """A sensitivity profile or a file of co-runs cannot be used."""


class MachineFileError(_FileError):
    """The result of a machine, or the settings behind it, cannot be used."""


class SuiteFileError(UserError):
    """The file is not a valid protocol of the suite. The message names file and line."""
