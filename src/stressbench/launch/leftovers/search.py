"""Leftovers in a directory: recognised by owner, type and name, and not needed by any live process."""

import os
import re
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from stressbench.launch.leftovers.live_processes import LiveProcesses, live_processes

_SEGMENT = re.compile(r"(?:vader|sm)_segment\..+\.\d+\.([0-9a-f]+)\.\d+")
_POOL = re.compile(r"stressbench-trace-(\w+)-\d+(?:\.\d+)?\.pool")
_LAUNCHER_SESSION, _JOB_FAMILY_SESSION = re.compile(r"pid\.(\d+)"), re.compile(r"jf\.(\d+)")
_SESSION = re.compile(rf"{_LAUNCHER_SESSION.pattern}|{_JOB_FAMILY_SESSION.pattern}")
_SCRATCH = re.compile(r"\.stressbench-\w+-(.+)-(\d+)-\w{8}")
_OUTPUT = re.compile(r"\.stressbench-(.+)-(\d+)-[0-9a-f]{8}\.new")
_CLOCK_TOLERANCE_S = 2.0
"""Start times of processes and change times of files come from different clocks."""
_MIN_AGE_S = 60.0
"""Minimum age of a session directory that names a job family, whose process is unknown and may just be starting, and of
a temporary directory or file."""


class Kind(StrEnum):
    """Kinds of leftovers."""

    segment = "shared memory of Open MPI"
    session = "session of Open MPI"
    pool = "pool of the tracer"
    scratch = "temporary directory of StressBench"
    output = "unfinished output of StressBench"


@dataclass(frozen=True, kw_only=True)
class Leftover:
    """A file or directory `name` in the directories `inside` below `folder`, identified by device and inode number.

    `size` is its size on disk in bytes.
    """

    kind: Kind
    folder: Path
    inside: tuple[str, ...]
    name: str
    size: int
    device: int
    number: int

    @property
    def path(self) -> Path:
        """The path of the file or directory."""
        return self.folder.joinpath(*self.inside, self.name)


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A possible leftover and the time of its last change (s since the epoch)."""

    leftover: Leftover
    changed_s: float


def find(folders: Sequence[Path], *, user: int) -> tuple[Leftover, ...]:
    """Leftovers of dead processes of `user` in these directories, ordered by path. Symbolic links are not followed."""
    candidates = [one for folder in dict.fromkeys(map(_real, folders)) for one in _candidates(folder, user)]
    alive = live_processes(user)
    leftovers = [one.leftover for one in candidates if not is_needed(one, alive)]
    return tuple(sorted(leftovers, key=lambda one: one.path))


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))


def _candidates(folder: Path, user: int) -> Iterator[Candidate]:
    for entry, status in _entries_of_user(folder, user):
        if stat.S_ISREG(status.st_mode):
            kind = _kind_of_file(entry)
            if kind is not None:
                yield _candidate(kind, folder, (), entry, status)
        elif stat.S_ISDIR(status.st_mode) and _is_of_this_host(_SCRATCH, entry):
            yield _candidate(Kind.scratch, folder, (), entry, status)
        elif stat.S_ISDIR(status.st_mode) and re.fullmatch(rf"ompi\.{re.escape(os.uname().nodename)}\.{user}", entry):
            for inner, inner_status in _entries_of_user(folder / entry, user):
                if stat.S_ISDIR(inner_status.st_mode) and _SESSION.fullmatch(inner):
                    yield _candidate(Kind.session, folder, (entry,), inner, inner_status)


def _kind_of_file(name: str) -> Kind | None:
    if _SEGMENT.fullmatch(name):
        return Kind.segment
    if _POOL.fullmatch(name):
        return Kind.pool
    return Kind.output if _is_of_this_host(_OUTPUT, name) else None


def _is_of_this_host(pattern: re.Pattern[str], name: str) -> bool:
    match = pattern.fullmatch(name)
    return match is not None and match[1] == os.uname().nodename


def _entries_of_user(folder: Path, user: int) -> Iterator[tuple[str, os.stat_result]]:
    """Names and status of the directory's entries that belong to this user."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if status.st_uid == user:
                    yield entry.name, status
    except OSError:
        return


def _candidate(kind: Kind, folder: Path, inside: tuple[str, ...], name: str, status: os.stat_result) -> Candidate:
    leftover = Leftover(
        kind=kind, folder=folder, inside=inside, name=name, device=status.st_dev, number=status.st_ino,
        size=_size(folder.joinpath(*inside, name), status),
    )  # fmt: skip
    return Candidate(leftover=leftover, changed_s=status.st_ctime)


def _size(path: Path, status: os.stat_result) -> int:
    """Size on disk in bytes; links are not followed. Files that its owner removes meanwhile do not count."""
    if not stat.S_ISDIR(status.st_mode):
        return status.st_blocks * 512
    size = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with suppress(OSError):
                size += Path(folder, name).lstat().st_blocks * 512
    return size


def is_needed(candidate: Candidate, alive: LiveProcesses) -> bool:
    """Whether a live process may still use the candidate."""
    leftover = candidate.leftover
    if (leftover.device, leftover.number) in alive.files or alive.mentions(str(leftover.path)):
        return True
    match leftover.kind:
        case Kind.segment:
            return _number_in_name(_SEGMENT, leftover.name, 16) >> 16 in alive.job_families
        case Kind.pool:
            key = _POOL.fullmatch(leftover.name)
            return key is None or alive.mentions(f"STRESSBENCH_TRACE_ID={key[1]}\0")
        case Kind.session if _LAUNCHER_SESSION.fullmatch(leftover.name):
            return _is_alive(_number_in_name(_LAUNCHER_SESSION, leftover.name, 10), candidate, alive)
        case Kind.scratch | Kind.output:
            owner = (_SCRATCH if leftover.kind is Kind.scratch else _OUTPUT).fullmatch(leftover.name)
            is_old = time.time() - candidate.changed_s >= _MIN_AGE_S
            return owner is None or not is_old or _is_alive(int(owner[2]), candidate, alive)
        case _:
            family = _number_in_name(_JOB_FAMILY_SESSION, leftover.name, 10)
            return family in alive.job_families or time.time() - candidate.changed_s < _MIN_AGE_S


def _is_alive(owner: int, candidate: Candidate, alive: LiveProcesses) -> bool:
    """Whether the process lives that made the candidate; one that started later has only reused the process id."""
    started_s = alive.started_s.get(owner)
    return started_s is not None and started_s <= candidate.changed_s + _CLOCK_TOLERANCE_S


def _number_in_name(pattern: re.Pattern[str], name: str, base: int) -> int:
    match = pattern.fullmatch(name)
    assert match is not None
    return int(match[1], base)
