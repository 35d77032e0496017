"""Reads a packed study in a single pass and within limits, since a small archive can unpack to any size."""

import gzip
import hashlib
import shutil
import subprocess
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from stressbench.formats.errors import reason_of
from stressbench.formats.files import FileRefused, limits, open_regular
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.units import exact_size_text

_CHUNK = limits.MIB
_LARGEST_HEADER = 4 * limits.MIB
_LONGEST_NAME = 4000
_DAMAGED = (OSError, tarfile.TarError, EOFError, zlib.error, ValueError, ArithmeticError, LookupError, RecursionError)
"""Exceptions of gzip and tarfile for damaged archives."""


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(kw_only=True)
class Complaints:
    """The first sentences about `source`, and the number of those left out."""

    source: Path
    left_out: int = 0
    _sentences: list[str] = field(default_factory=list)

    def add(self, sentence: str) -> None:
        """Add a sentence, or only count it."""
        if len(self._sentences) < limits.COMPLAINTS:
            self._sentences.append(sentence)
        else:
            self.left_out += 1

    def sentences(self) -> tuple[str, ...]:
        """All sentences; the last one states how many were left out."""
        more = (f"{self.source}: {self.left_out:,} more complaints are left out",) if self.left_out else ()
        return (*self._sentences, *more)


@dataclass(frozen=True, kw_only=True)
class ArchiveContents:
    """SHA-256 of each file by its name below the archive's top folder, and the content of the requested file.

    `complaints`: a sentence for each entry that `study pack` would not write.
    """

    digests: dict[str, str]
    text: bytes | None
    complaints: Complaints


def read_archive(path: Path, *, text_of: str) -> ArchiveContents:
    """Read the archive at `path`. Raises StudyMistake where it is damaged, or exceeds the limits when unpacked."""
    digests: dict[str, str] = {}
    text, root = None, None
    complaints = Complaints(source=path)
    characters = 0
    try:
        with _tar(path) as (archive, forward):
            for number, entry in enumerate(archive):
                if number >= limits.ARCHIVE_FILES:
                    raise StudyMistake(f"{path}: holds more than {limits.ARCHIVE_FILES} files, the most that are read")
                if len(entry.name) > _LONGEST_NAME:
                    raise StudyMistake(f"{path}: holds a name of {len(entry.name)} characters; no file can have it")
                characters += len(entry.name)
                if characters > limits.ARCHIVE_NAMES:
                    most = exact_size_text(limits.ARCHIVE_NAMES)
                    raise StudyMistake(f"{path}: its names have more than {most} in all, the most that is read")
                archive.members.clear()  # type: ignore[attr-defined]  # they keep every header
                root = entry.name.partition("/")[0] if root is None else root
                name = entry.name.removeprefix(f"{root}/")
                if complaint := _complaint(entry, root=root, seen=digests):
                    complaints.add(f"{path}: {entry.name} {complaint}")
                elif (content := archive.extractfile(entry)) is not None:
                    digests[name], kept_text = _digest(content, keep=name == text_of)
                    text = kept_text if name == text_of else text
            if forward.has_more():
                complaints.add(f"{path}: there is data after the end of the archive")
    except _DAMAGED as fault:
        reason = reason_of(fault) if isinstance(fault, OSError) else str(fault)
        raise StudyMistake(f"{path}: cannot be unpacked ({reason or type(fault).__name__})") from fault
    return ArchiveContents(digests=digests, text=text, complaints=complaints)


def _complaint(entry: tarfile.TarInfo, *, root: str, seen: Mapping[str, str]) -> str | None:
    """Why `study pack` would not have written the entry, None where it might have."""
    if entry.isdir() and entry.name == root:
        return None
    if not entry.name.startswith(f"{root}/") or root in ("", ".", ".."):
        return f"does not lie in the folder {root}"
    name = entry.name.removeprefix(f"{root}/")
    if any(part in ("", ".", "..") for part in name.split("/")):
        return "points outside its directory, or has a name that is not normalised"
    if name in seen:
        return "occurs twice"
    if entry.sparse is not None:  # a few bytes may claim to be any number of bytes
        return "is a sparse file, which a pack has none of"
    if entry.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE):
        return "is not a regular file"
    return None


def _digest(content: IO[bytes], *, keep: bool) -> tuple[str, bytes | None]:
    """The SHA-256, and with `keep` the content, cut at about the size limit of journals."""
    digest, kept = hashlib.sha256(), bytearray()
    while chunk := content.read(_CHUNK):
        digest.update(chunk)
        if keep and len(kept) < limits.JOURNAL:
            kept += chunk
    return digest.hexdigest(), bytes(kept) if keep else None


@contextmanager
def _tar(path: Path) -> Iterator[tuple[tarfile.TarFile, "_ForwardStream"]]:
    with open_regular(path, limit=limits.ARCHIVE) as packed:
        max_bytes = max(limits.ARCHIVE_UNPACKED, limits.ARCHIVE_RATIO * path.stat().st_size)
        with _decompressed(path, packed) as plain:
            forward = _ForwardStream(plain, path=path, max_bytes=max_bytes)
            as_file: Any = forward
            with tarfile.open(fileobj=as_file, mode="r:") as archive:
                yield archive, forward


@contextmanager
def _decompressed(path: Path, packed: IO[bytes]) -> Iterator[_Stream]:
    if not path.name.endswith(".zst"):
        with gzip.open(packed) as plain:
            yield plain
        return
    program = shutil.which("zstd")
    assert program is not None  # checked by `require_ending`
    unpacker = subprocess.Popen(
        [program, "-q", "-d", "-c"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert unpacker.stdout is not None
    try:
        yield unpacker.stdout
    finally:
        unpacker.stdout.close()
        unpacker.wait()


class _ForwardStream:
    """A stream as a file for tarfile, which reads it from start to end. Raises FileRefused beyond `max_bytes`.

    Files are read in chunks but headers at once, so that a larger read is a header that `study pack` does not write.
    """

    def __init__(self, stream: _Stream, *, path: Path, max_bytes: int) -> None:
        self._stream = stream
        self._path = path
        self._max_bytes = max_bytes
        self._position = 0

    def tell(self) -> int:
        """The number of bytes read so far."""
        return self._position

    def seek(self, place: int) -> int:
        """Skip to byte `place` by reading, since the stream cannot seek. Raises FileRefused for an earlier place."""
        if place < self._position:
            raise FileRefused(self._path, "its parts overlap")
        while self._position < place and self.read(min(_CHUNK, place - self._position)):
            pass
        return self._position

    def has_more(self) -> bool:
        """Read to the end, and return whether anything but padding was left."""
        return any(chunk.strip(b"\0") for chunk in iter(lambda: self.read(_CHUNK), b""))

    def read(self, size: int) -> bytes:
        """Read `size` bytes, fewer at the end. Raises FileRefused beyond the limits."""
        if not 0 <= size <= _LARGEST_HEADER:
            raise FileRefused(self._path, f"a header of {size} bytes")
        chunk = self._stream.read(size)
        self._position += len(chunk)
        if self._position > self._max_bytes:
            raise FileRefused(
                self._path, f"unpacks to more than {exact_size_text(self._max_bytes)}, the most that is read"
            )
        return chunk
