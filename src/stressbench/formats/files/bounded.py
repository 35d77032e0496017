"""Opening of files for reading: regular files up to a size limit only. Raises OSError, such as `Refused`."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from stressbench.formats.units import whole_size_text

_PIECE = 1 << 20
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


_STAYING: dict[tuple[int, int], Path] = {}


class Refused(OSError):
    """A file is refused, for example a device or a file that is too large. `strerror` is the reason."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(errno.EINVAL, reason, str(path))


def open_regular(path: Path, *, limit: int) -> BufferedReader:
    """Open the regular file at `path`, of at most `limit` bytes. Raises OSError.

    This never blocks: a FIFO without a writer is refused as well.
    """
    try:
        _require_regular(path, path.stat())  # before opening, which may have side effects on a device
    except ValueError as fault:
        raise Refused(path, "no file can have this name") from fault
    file = open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")  # noqa: PTH123, SIM115  a descriptor
    try:
        found = os.fstat(file.fileno())
        _require_regular(path, found)
        if found.st_size > limit:
            raise _too_large(path, limit)
    except OSError:
        file.close()
        raise
    _keep(path, found)
    return file


def must_stay(path: Path) -> None:
    """Protect `path` from being overwritten by an output of this command, like files that were read."""
    with suppress(OSError, ValueError):  # no file has a name with a zero byte
        _keep(path, path.stat())


def stays(found: os.stat_result) -> bool:
    """Whether the file with this status was read by this command or protected by `must_stay`."""
    before = _STAYING.get((found.st_dev, found.st_ino))
    try:  # the inode number of a deleted file may have been reused
        return before is not None and os.path.samestat(before.stat(), found)
    except OSError:
        return False


def forget_what_stays() -> None:
    """Forget all protected files. Called when a command starts, since one process may run several."""
    _STAYING.clear()


def _keep(path: Path, found: os.stat_result) -> None:
    _STAYING[found.st_dev, found.st_ino] = path.absolute()


def read_bytes(path: Path, *, limit: int) -> bytes:
    """The content of a file, at most `limit` bytes even if it grows while being read. Raises OSError."""
    with open_regular(path, limit=limit) as file:
        found = bytearray()  # in pieces: files in /proc and /sys report size 0, others may grow
        while piece := file.read(_PIECE):
            found += piece
            if len(found) > limit:
                raise _too_large(path, limit)
    return bytes(found)


def read_text(path: Path, *, limit: int, errors: str = "strict") -> str:
    """As `read_bytes`, decoded from UTF-8, with line ends as newlines. Raises OSError and UnicodeDecodeError."""
    text = read_bytes(path, limit=limit).decode("utf-8", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def lines_in(file: BinaryIO, *, path: Path, longest: int) -> Iterator[bytes]:
    """The lines of a file, each with its newline. Raises Refused, which names the line, above `longest` bytes."""
    number = 0
    while line := file.readline(longest + 1):
        number += 1
        if len(line) > longest:
            raise Refused(path, f"line {number} is longer than {whole_size_text(longest)}, the most that is read")
        yield line


def _require_regular(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        kind = _KINDS.get(stat.S_IFMT(found.st_mode), "something else")
        raise Refused(path, f"is {kind}; expected a regular file")


def _too_large(path: Path, limit: int) -> Refused:
    return Refused(path, f"is larger than {whole_size_text(limit)}, the most that is read")
