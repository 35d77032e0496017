"""Writing of files that the user names: atomically, and never over a protected file.

Protected are all files that this command has read, and a study's own files (`studies`). Content goes into a temporary
file in the same directory, which is then renamed: until then, and if the disk is full, the old file stays as it was.
If a signal ends the process, `stressbench clean` finds the temporary file by host and process in its name.
"""

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from stressbench.formats.files.bounded import FileRefused, is_protected
from stressbench.formats.files.studies import belongs_to_study

_STREAM_TYPES = (stat.S_IFCHR, stat.S_IFIFO)
_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_LINKS = 40
_DESCRIPTORS = re.compile("/proc/[0-9]+(/task/[0-9]+)?/fd")


def write_output(path: Path, content: str | bytes) -> None:
    """Write `content`, text as UTF-8, to a file that the user named. Raises OSError, such as `FileRefused`.

    Surrogates in the text, by which `os.fsdecode` represents names that are not UTF-8, are escaped.
    """
    with new_output(path) as file:
        file.write(content.encode(errors="backslashreplace") if isinstance(content, str) else content)


def require_output(path: Path) -> None:
    """Raise OSError if `path` cannot be written at present. Called before anything expensive starts."""
    with errors_naming(path):
        target = _output_target(path)
        if _is_stream(target):
            return
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise OSError(_access_errno(target.parent), os.strerror(_access_errno(target.parent)))


@contextmanager
def new_output(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to fill, which becomes `path` on exit unless an exception is raised. Raises OSError.

    A FIFO or a device such as `/dev/stdout` is written to directly.
    """
    with errors_naming(path):
        target = _output_target(path)
        if _is_stream(target):
            with os.fdopen(os.open(target, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOCTTY), "wb") as stream:
                yield stream
            return
    with atomic_output(target, user_path=path) as file:
        yield file


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that belongs to StressBench, atomically, replacing whatever is there. Raises OSError."""
    with atomic_output(path) as file:
        file.write(content)


@contextmanager
def atomic_output(target: Path, *, user_path: Path | None = None) -> Iterator[BinaryIO]:
    """Yield a file to fill, which then replaces whatever is at `target`, as `write_atomically` does. Raises OSError.

    Errors name `user_path`, or else `target`.
    """
    user_path = user_path or target
    before = _status(target, follow=False)  # `write_atomically` replaces a link, so its target does not matter
    new = target.parent / f".stressbench-{os.uname().nodename}-{os.getpid()}-{secrets.token_hex(4)}.new"
    with errors_naming(user_path):
        descriptor = os.open(new, _CREATE_FLAGS, 0o666)
    try:
        with errors_naming(user_path), os.fdopen(descriptor, "wb") as file:
            if before is not None and stat.S_ISREG(before.st_mode):
                _copy_owner_and_mode(descriptor, before)
            yield file
            file.flush()
            os.fsync(descriptor)
        with errors_naming(user_path):
            new.rename(target)
    finally:
        new.unlink(missing_ok=True)


def _copy_owner_and_mode(descriptor: int, before: os.stat_result) -> None:
    with suppress(OSError):  # only root may change the owner
        os.fchown(descriptor, before.st_uid, before.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


@contextmanager
def errors_naming(path: Path) -> Iterator[None]:
    """Make errors name what the user named instead of a temporary file or directory."""
    try:
        yield
    except FileRefused:
        raise
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror, str(path)) from fault


def _output_target(path: Path) -> Path:
    """The file that `path` resolves to, if it may be created or replaced. Raises OSError otherwise."""
    target = _resolve_links(path)
    status = _status(target)
    if belongs_to_study(Path(os.path.realpath(target))):
        raise FileRefused(path, "is a file of a study, which only `stressbench study` writes; choose another name")
    if status is None:
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        return target
    if is_protected(status):
        raise FileRefused(path, "is a file that this command reads; choose another name")
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode) and stat.S_IFMT(status.st_mode) not in _STREAM_TYPES:
        raise FileRefused(path, "is not a regular file; choose another name")
    if not os.access(target, os.W_OK):  # a write-protected file stays, even in a writable directory
        raise OSError(_access_errno(target), os.strerror(_access_errno(target)))
    return target


def _resolve_links(path: Path) -> Path:
    """`path` with symbolic links resolved. Links that neither this user nor root made are refused."""
    for _ in range(_MAX_LINKS):
        try:
            status = path.lstat()
        except FileNotFoundError:
            return path
        if not stat.S_ISLNK(status.st_mode) or _is_descriptor(path):
            return path
        if status.st_uid not in (os.geteuid(), 0):
            raise FileRefused(path, f"is a symbolic link that user {status.st_uid} made; name the file itself")
        path = path.parent / path.readlink()
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def _is_stream(target: Path) -> bool:
    status = _status(target)
    return status is not None and (stat.S_IFMT(status.st_mode) in _STREAM_TYPES or _is_descriptor(target))


def _is_descriptor(path: Path) -> bool:
    """Whether `path` is an open file of a process, as /dev/stdout and /dev/fd/63 are: renaming cannot replace it."""
    return _DESCRIPTORS.fullmatch(os.path.realpath(path.parent)) is not None


def _status(path: Path, *, follow: bool = True) -> os.stat_result | None:
    try:
        return path.stat(follow_symlinks=follow)
    except FileNotFoundError:
        return None


def _access_errno(path: Path) -> int:
    read_only = os.statvfs(path).f_flag & os.ST_RDONLY
    return errno.EROFS if read_only else errno.EACCES
