"""Opening of files for reading: regular files up to a size limit only. Raises OSError, such as `FileRefused`."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from stressbench.formats.units import exact_size_text

_CHUNK_BYTES = 1 << 20
_FILE_TYPES = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


_PROTECTED: dict[tuple[int, int], Path] = {}
_READS: ContextVar[dict[Path, None] | None] = ContextVar("_READS", default=None)


class FileRefused(OSError):
    """A file is refused, for example a device or a file that is too large. `strerror` is the reason."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(errno.EINVAL, reason, str(path))


def is_file(path: Path) -> bool:
    """Whether it is a regular file; False also for a name that no file can have, where Path.is_file raises OSError."""
    try:
        return path.is_file()
    except OSError:
        return False


def open_regular(path: Path, *, limit: int) -> BufferedReader:
    """Open the regular file at `path`, of at most `limit` bytes. Raises OSError.

    This never blocks: a FIFO without a writer is refused as well.
    """
    try:
        _require_regular(path, path.stat())  # before opening, which may have side effects on a device
    except ValueError as fault:
        raise FileRefused(path, "no file can have this name") from fault
    file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")  # noqa: PTH123, SIM115  a descriptor
    try:
        status = os.fstat(file.fileno())
        _require_regular(path, status)
        if status.st_size > limit:
            raise _too_large(path, limit)
    except OSError:
        file.close()
        raise
    _protect(path, status)
    if (reads := _READS.get()) is not None:
        reads[path] = None
    return file


@contextmanager
def recorded_reads() -> Iterator[dict[Path, None]]:
    """Yield the paths of the files that are opened for reading within the context, in order: keys of a dictionary."""
    reads: dict[Path, None] = {}
    token = _READS.set(reads)
    try:
        yield reads
    finally:
        _READS.reset(token)


def protect_from_overwriting(path: Path) -> None:
    """Protect `path` from being overwritten by an output of this command, like files that were read."""
    with suppress(OSError, ValueError):  # no file has a name with a zero byte
        _protect(path, path.stat())


def is_protected(status: os.stat_result) -> bool:
    """Whether the file with this status was read by this command or protected by `protect_from_overwriting`."""
    before = _PROTECTED.get((status.st_dev, status.st_ino))
    try:  # the inode number of a deleted file may have been reused
        return before is not None and os.path.samestat(before.stat(), status)
    except OSError:
        return False


def clear_protected_files() -> None:
    """Forget all protected files. Called when a command starts, since one process may run several."""
    _PROTECTED.clear()


def _protect(path: Path, status: os.stat_result) -> None:
    _PROTECTED[status.st_dev, status.st_ino] = path.absolute()


def read_bytes(path: Path, *, limit: int) -> bytes:
    """The content of a file, at most `limit` bytes even if it grows while being read. Raises OSError."""
    with open_regular(path, limit=limit) as file:
        content = bytearray()  # in chunks: files in /proc and /sys report size 0, others may grow
        while chunk := file.read(_CHUNK_BYTES):
            content += chunk
            if len(content) > limit:
                raise _too_large(path, limit)
    return bytes(content)


def end_of_text(path: Path, *, most: int, limit: int) -> str:
    """At most `most` bytes from the end of a regular file of at most `limit` bytes; empty where it cannot be read."""
    try:
        with open_regular(path, limit=limit) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - most))
            return file.read().decode(errors="replace")
    except OSError:
        return ""


def read_text(path: Path, *, limit: int, errors: str = "strict") -> str:
    """As `read_bytes`, decoded from UTF-8, with line ends as newlines. Raises OSError and UnicodeDecodeError."""
    text = read_bytes(path, limit=limit).decode("utf-8", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def lines_in(file: BinaryIO, *, path: Path, longest: int) -> Iterator[bytes]:
    """The lines of a file, each with its newline. Raises FileRefused, which names the line, above `longest` bytes."""
    number = 0
    while line := file.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise FileRefused(path, f"line {number} is longer than {exact_size_text(longest)}, the most that is read")
        yield line


def _require_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = _FILE_TYPES.get(stat.S_IFMT(status.st_mode), "something else")
        raise FileRefused(path, f"is {kind}; expected a regular file")


def _too_large(path: Path, limit: int) -> FileRefused:
    return FileRefused(path, f"is larger than {exact_size_text(limit)}, the most that is read")
