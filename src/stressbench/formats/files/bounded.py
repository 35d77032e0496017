"""The one way to open a file for reading: a regular file, up to a stated size. Raises OSError, such as `Refused`."""

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
    """A file that is not read or written, such as a device, or one too large. `strerror` is the reason, as for any."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(errno.EINVAL, reason, str(path))


def open_regular(path: Path, *, limit: int) -> BufferedReader:
    """The regular file at `path`, of at most `limit` bytes. Raises OSError.

    Opening it waits for nobody: a FIFO without a writer is refused as well.
    """
    try:
        _require_regular(path, path.stat())  # before opening: to open a device may do something
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
    """No output of this command may take the place of `path`, as if it had been read."""
    with suppress(OSError, ValueError):  # no file has a name with a zero byte
        _keep(path, path.stat())


def stays(found: os.stat_result) -> bool:
    """Whether the file of this status is one that this command has read, or that must stay."""
    before = _STAYING.get((found.st_dev, found.st_ino))
    try:  # another file may have got the number of one that is gone
        return before is not None and os.path.samestat(before.stat(), found)
    except OSError:
        return False


def forget_what_stays() -> None:
    """A command begins, perhaps after others in this process."""
    _STAYING.clear()


def _keep(path: Path, found: os.stat_result) -> None:
    _STAYING[found.st_dev, found.st_ino] = path.absolute()


def read_bytes(path: Path, *, limit: int) -> bytes:
    """The whole file, of at most `limit` bytes, even where it grows meanwhile. Raises OSError."""
    with open_regular(path, limit=limit) as file:
        found = bytearray()  # in pieces: files of /proc and /sys say that they are empty, others may grow
        while piece := file.read(_PIECE):
            found += piece
            if len(found) > limit:
                raise _too_large(path, limit)
    return bytes(found)


def read_text(path: Path, *, limit: int, errors: str = "strict") -> str:
    """As `read_bytes`, from UTF-8; line ends become newlines. Raises OSError and UnicodeDecodeError."""
    text = read_bytes(path, limit=limit).decode("utf-8", errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def lines_in(file: BinaryIO, *, path: Path, longest: int) -> Iterator[bytes]:
    """Each line with its end, of at most `longest` bytes. Raises Refused, which names the line."""
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
