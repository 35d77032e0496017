"""What a packed study holds, read once from start to end, within limits: a few bytes can unpack to any number."""

import gzip
import hashlib
import shutil
import subprocess
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from stressbench.files import Refused, limits, open_regular
from stressbench.model.errors import reason_of
from stressbench.study.errors import StudyMistake

_CHUNK = limits.MIB
_LARGEST_HEADER = 4 * limits.MIB
_DAMAGED = (OSError, tarfile.TarError, EOFError, zlib.error, ValueError, ArithmeticError, LookupError, RecursionError)
"""What gzip and tarfile raise where an archive is damaged, besides their own errors."""


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, kw_only=True)
class Unpacked:
    """SHA-256 of each file by its name below the archive's first folder, and the text of the one that was asked for."""

    digests: dict[str, str]
    text: bytes | None


def unpacked(path: Path, *, wanted: str) -> Unpacked:
    """What the archive at `path` holds. StudyMistake where it is damaged, or unpacks to more than is read."""
    digests, text = {}, None
    try:
        with _tar(path) as archive:
            for number, entry in enumerate(archive):
                if number >= limits.ARCHIVE_FILES:
                    raise StudyMistake(f"{path}: holds more than {limits.ARCHIVE_FILES} files, the most that are read")
                if (content := archive.extractfile(entry)) is None:
                    continue
                name = entry.name.partition("/")[2]
                digests[name], found = _digested(content, keep=name == wanted)
                text = found if name == wanted else text
    except _DAMAGED as fault:
        reason = reason_of(fault) if isinstance(fault, OSError) else str(fault)
        raise StudyMistake(f"{path}: cannot be unpacked ({reason or type(fault).__name__})") from fault
    return Unpacked(digests=digests, text=text)


def _digested(content: IO[bytes], *, keep: bool) -> tuple[str, bytes | None]:
    """The SHA-256, and the content itself where it is to be kept: at most as much as a journal may hold."""
    digest, kept = hashlib.sha256(), bytearray()
    while chunk := content.read(_CHUNK):
        digest.update(chunk)
        if keep and len(kept) < limits.JOURNAL:
            kept += chunk
    return digest.hexdigest(), bytes(kept) if keep else None


@contextmanager
def _tar(path: Path) -> Iterator[tarfile.TarFile]:
    with open_regular(path, limit=limits.ARCHIVE) as packed:
        most = max(limits.ARCHIVE_UNPACKED, limits.ARCHIVE_RATIO * path.stat().st_size)
        with _plain(path, packed) as plain:
            forward: Any = _Forward(plain, path=path, most=most)
            with tarfile.open(fileobj=forward, mode="r:") as archive:
                yield archive


@contextmanager
def _plain(path: Path, packed: IO[bytes]) -> Iterator[_Stream]:
    if not path.name.endswith(".zst"):
        with gzip.open(packed) as plain:
            yield plain
        return
    program = shutil.which("zstd")
    assert program is not None  # `require_ending` looked
    unpacker = subprocess.Popen(
        [program, "-q", "-d", "-c"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert unpacker.stdout is not None
    try:
        yield unpacker.stdout
    finally:
        unpacker.stdout.close()
        unpacker.wait()


class _Forward:
    """A stream that tarfile reads as a file, from start to end. Raises Refused beyond `most` bytes.

    Headers are read as a whole, files in chunks: a larger piece is a header that no pack of ours has.
    """

    def __init__(self, stream: _Stream, *, path: Path, most: int) -> None:
        self._stream = stream
        self._path = path
        self._most = most
        self._at = 0

    def tell(self) -> int:
        """How much was read."""
        return self._at

    def seek(self, place: int) -> int:
        """Read up to there."""
        if place < self._at:
            raise Refused(self._path, "its parts overlap")
        while self._at < place and self.read(min(_CHUNK, place - self._at)):
            pass
        return self._at

    def read(self, size: int) -> bytes:
        """As much, or what is left."""
        if not 0 <= size <= _LARGEST_HEADER:
            raise Refused(self._path, f"a header of {size} bytes")
        found = self._stream.read(size)
        self._at += len(found)
        if self._at > self._most:
            raise Refused(self._path, f"unpacks to more than {limits.text_of(self._most)}, the most that is read")
        return found
