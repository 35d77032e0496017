"""Directories that only this user can write to, so that their files come from this user's own programs.

In a shared directory such as /tmp, another user may create a directory first, or put a link in its place. Therefore
every path component is opened without following links and checked through its descriptor; if that fails, it is refused.
"""

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from stressbench.formats.units import exact_size_text

_MODE = 0o700
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_AS_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_AS_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class NotPrivate(Exception):
    """Another user could have written this file or directory. The message names the path and the reason."""


@dataclass(frozen=True, kw_only=True)
class PrivateDirectory:
    """`parts` below `anchor`, each a directory that this user owns and nobody else can write to.

    `anchor` may belong to any user; its permissions are not checked.
    """

    anchor: Path
    parts: tuple[str, ...]

    @property
    def path(self) -> Path:
        """Path of the directory."""
        return self.anchor.joinpath(*self.parts)

    def below(self, name: str) -> "PrivateDirectory":
        """The subdirectory `name`."""
        return PrivateDirectory(anchor=self.anchor, parts=(*self.parts, name))

    @contextmanager
    def opened(self, *, create: bool = False) -> Iterator[int]:
        """Yield a descriptor of it. Raises NotPrivate and, without `create`, FileNotFoundError if missing."""
        if create:
            self.anchor.mkdir(parents=True, exist_ok=True, mode=_MODE)
        descriptor = os.open(self.anchor, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for number, part in enumerate(self.parts, start=1):
                inner = _open_subdirectory(
                    descriptor, part, path=self.anchor.joinpath(*self.parts[:number]), create=create
                )
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    def exists(self) -> bool:
        """Whether the directory exists. Raises NotPrivate if there is something else in its place."""
        try:
            with self.opened():
                return True
        except FileNotFoundError:
            return False

    def names(self) -> Sequence[str]:
        """Sorted names of the subdirectories; none if the directory is missing."""
        try:
            with self.opened() as directory, os.scandir(directory) as entries:
                return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except FileNotFoundError:
            return []

    def others(self, known: Collection[str]) -> Sequence[str]:
        """Sorted names of all entries except `known`. Raises FileNotFoundError if the directory is missing."""
        with self.opened() as directory, os.scandir(directory) as entries:
            return sorted({entry.name for entry in entries} - set(known))

    def open_file(self, name: str, flags: int) -> int:
        """Descriptor of a regular file of this user; new files get mode 0600. Raises NotPrivate and OSError."""
        with self.opened() as directory:
            return _open_own(name, flags, path=self.path / name, directory=directory)

    def read(self, name: str, *, limit: int) -> bytes:
        """The content of a file, at most `limit` bytes. Raises NotPrivate, and OSError if it cannot be read."""
        return _read(self.open_file(name, os.O_RDONLY), path=self.path / name, limit=limit)

    def replace(self, name: str, content: bytes) -> None:
        """Replace the file atomically: readers find the old or the new content."""
        new = f"{name}.new"
        with self.opened() as directory:
            with suppress(FileNotFoundError):
                os.unlink(new, dir_fd=directory)
            with os.fdopen(self.open_file(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
                file.write(content)
            os.rename(new, name, src_dir_fd=directory, dst_dir_fd=directory)

    def create(self, name: str) -> BinaryIO:
        """Open a new file for writing; an existing file of this name is removed."""
        with self.opened() as directory, suppress(FileNotFoundError):
            os.unlink(name, dir_fd=directory)
        return os.fdopen(self.open_file(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb")

    def remove(self, name: str, *, files: Collection[str]) -> None:
        """Remove `files` from the subdirectory `name`, then the subdirectory. Raises OSError if others remain."""
        with suppress(FileNotFoundError), self.below(name).opened() as inner:
            for file in files:
                with suppress(FileNotFoundError):
                    os.unlink(file, dir_fd=inner)
            with self.opened() as directory:
                os.rmdir(name, dir_fd=directory)


def is_own_file(path: Path) -> bool:
    """Whether `path` is a regular file of this user, and not a link."""
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()


def read_own(path: Path, *, limit: int) -> bytes:
    """The content, at most `limit` bytes, of a file of this user in a shared directory. Raises NotPrivate, OSError."""
    return _read(_open_own(str(path), os.O_RDONLY, path=path), path=path, limit=limit)


def _open_own(name: str, flags: int, *, path: Path, directory: int | None = None) -> int:
    try:
        descriptor = os.open(name, flags | _AS_FILE, 0o600, dir_fd=directory)
    except OSError as fault:
        if fault.errno in (errno.ELOOP, errno.ENXIO):
            raise _not_private(path, "is not a regular file") from fault
        raise
    return _checked(descriptor, path, has_type=stat.S_ISREG, expected="regular file")


def _read(descriptor: int, *, path: Path, limit: int) -> bytes:
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        content = file.read(min(size, limit) + 1)
    if len(content) > limit or size > limit:
        raise _not_private(path, f"is larger than {exact_size_text(limit)}")
    return content


def _open_subdirectory(directory: int, name: str, *, path: Path, create: bool) -> int:
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, _MODE, dir_fd=directory)
    try:
        inner = os.open(name, _AS_DIRECTORY, dir_fd=directory)
    except OSError as fault:
        if fault.errno in (errno.ELOOP, errno.ENOTDIR):
            raise _not_private(path, "is a symbolic link or not a directory") from fault
        if fault.errno == errno.EACCES:
            raise _not_private(path, "belongs to another user, or cannot be opened") from fault
        raise
    return _checked(inner, path, has_type=stat.S_ISDIR, expected="directory")


def _checked(descriptor: int, path: Path, *, has_type: Callable[[int], bool], expected: str) -> int:
    """The descriptor, if it is of the expected kind and private. Closes it and raises NotPrivate otherwise."""
    try:
        _check(os.fstat(descriptor), path, has_type=has_type, expected=expected)
    except NotPrivate:
        os.close(descriptor)
        raise
    return descriptor


def _check(status: os.stat_result, path: Path, *, has_type: Callable[[int], bool], expected: str) -> None:
    if not has_type(status.st_mode):
        raise _not_private(path, f"is not a {expected}")
    if status.st_uid != os.geteuid():
        raise _not_private(path, f"belongs to user {status.st_uid}, not to user {os.geteuid()}, who runs this")
    if status.st_mode & _OTHERS_WRITE:
        mode = stat.S_IMODE(status.st_mode)
        raise _not_private(path, f"others may write to it (mode {mode:04o})")


def _not_private(path: Path, what: str) -> NotPrivate:
    return NotPrivate(f"{path}: {what}")
