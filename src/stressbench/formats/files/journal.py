"""Append-only files of lines: a line is appended completely or not at all."""

import fcntl
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import orjson

from stressbench.formats.files.bounded import FileRefused

_CHUNK_BYTES = 1 << 16
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


def append_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Append JSON values, one per line, and sync them to disk. Raises OSError, in which case none of them is appended.

    An incomplete last line, left by a power failure or a full disk, is removed. Several processes may append to a file
    if its file system supports locks.
    """
    content = b"".join(line + b"\n" for line in lines)
    descriptor = open_journal(path)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
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
    """Open the regular file `path` for reading and appending, and return its descriptor; create it if it is missing.

    Raises OSError, such as `FileRefused` for a FIFO and for a symbolic link, whose target may not be a journal.
    """
    if path.is_symlink():
        raise FileRefused(path, "is a symbolic link, which is not written through; put the file itself there")
    descriptor = os.open(path, _FLAGS, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileRefused(path, "is not a regular file")
    return descriptor


def _end_of(descriptor: int) -> tuple[int, bytes]:
    """Offset at which to append, and what to write first: a newline if the last line lacks only that."""
    size = begin = os.fstat(descriptor).st_size
    tail = b""
    while begin and b"\n" not in tail:
        begin = max(0, begin - _CHUNK_BYTES)
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
