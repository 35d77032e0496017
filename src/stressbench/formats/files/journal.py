"""Files of lines that only ever grow: a line is in them as a whole, or not at all."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import orjson

from stressbench.formats.files.bounded import Refused

_PIECE = 1 << 16
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def append_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Put JSON values, a line each, at the end and on the disk. Raises OSError, and then none of them is in the file.

    What stands at the end without being whole was being written when the power, or the room, went: it is removed.
    """
    content = b"".join(line + b"\n" for line in lines)
    descriptor = open_journal(path)
    try:
        end, gap = _end_of(descriptor)
        os.ftruncate(descriptor, end)
        try:
            _write(descriptor, gap + content)
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, end)
            raise
    finally:
        os.close(descriptor)


def open_journal(path: Path) -> int:
    """A descriptor to read and append with, of a regular file that `path` itself names; made if it is missing.

    Raises OSError, such as `Refused` for a symbolic link, which may lead to a file that is no journal, and for a FIFO.
    """
    if path.is_symlink():
        raise Refused(path, "is a symbolic link, which is not written through; put the file itself there")
    descriptor = os.open(path, _FLAGS, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Refused(path, "is no regular file")
    return descriptor


def _end_of(descriptor: int) -> tuple[int, bytes]:
    """Where the next line goes, and what goes before it: a last line may lack nothing but its end."""
    size = begin = os.fstat(descriptor).st_size
    tail = b""
    while begin and b"\n" not in tail:
        begin = max(0, begin - _PIECE)
        tail = os.pread(descriptor, size - begin, begin)
    last = tail.rpartition(b"\n")[2]
    if not last:
        return size, b""
    try:
        orjson.loads(last)
    except orjson.JSONDecodeError:
        return size - len(last), b""
    return size, b"\n"


def _write(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]
    os.fsync(descriptor)
