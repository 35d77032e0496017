"""Files that live processes of a user have open, map, or name in their environment. Zombies do not count."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stressbench.launch.processes import environment_of

_PROC = Path("/proc")
_STATE, _START_TIME = 0, 19  # fields 3 and 22 of /proc/PID/stat, counted from the one behind the program name
# The upper half of an Open MPI job number of 32 bits is its job family, which all jobs of a launch share.
_JOB_NUMBERS = (
    (re.compile(r"PMIX_NAMESPACE=([0-9]{1,10})\0"), 10),
    (re.compile(r"seg-([0-9]{1,10})(?![0-9])"), 10),
    (re.compile(r"(?:vader|sm)_segment\.[^/\0\n]{1,255}?\.\d+\.([0-9a-f]{1,8})\."), 16),
)
_MAPPED = re.compile(r"^\S+ \S+ \S+ ([0-9a-f]+):([0-9a-f]+) (\d+) *(.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class LiveProcesses:
    """Live processes of a user.

    `started_s`: start times (s since the epoch) by process id; `files`: open and mapped files by device and inode
    number; `texts`: environments and paths of open and mapped files.
    """

    started_s: Mapping[int, float]
    files: frozenset[tuple[int, int]]
    texts: tuple[str, ...]

    def mentions(self, text: str) -> bool:
        """Whether this text occurs in an environment or path."""
        return any(text in one for one in self.texts)

    @cached_property
    def job_families(self) -> frozenset[int]:
        """Job families of Open MPI with live processes."""
        return frozenset(
            int(number, base) >> 16 for pattern, base in _JOB_NUMBERS for text in self.texts
            for number in pattern.findall(text)
        )  # fmt: skip


def live_processes(user: int) -> LiveProcesses:
    """The present live processes of `user`. Call it after listing candidates, so that no owner of one is missed."""
    boot_s = _boot_time_s()
    started_s: dict[int, float] = {}
    files: set[tuple[int, int]] = set()
    texts: list[str] = []
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError):
            if folder.stat().st_uid != user:
                continue
            ticks = _start_ticks(folder)
            if ticks is None:
                continue
            started_s[int(folder.name)] = boot_s + ticks / os.sysconf("SC_CLK_TCK")
            texts.append(environment_of(folder).decode(errors="replace") + "\0")
            # Open files before mapped ones, because files are mapped before being closed.
            for path, identity in _open_files(folder):
                texts.append(path)
                files.add(identity)
            maps = (folder / "maps").read_text(encoding="utf-8", errors="replace")
            for major, minor, number, path in _MAPPED.findall(maps):
                if path:
                    texts.append(path)
                    files.add((os.makedev(int(major, 16), int(minor, 16)), int(number)))
    return LiveProcesses(started_s=started_s, files=frozenset(files), texts=tuple(dict.fromkeys(texts)))


def _start_ticks(folder: Path) -> int | None:
    """Start time of a process in clock ticks since boot; None for a zombie or dead process. Raises OSError."""
    fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    return None if fields[_STATE] in "ZX" else int(fields[_START_TIME])


def _open_files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for path in ((folder / "cwd"), *(folder / "fd").iterdir()):
        with suppress(OSError):
            status = path.stat()
            yield str(path.readlink()), (status.st_dev, status.st_ino)


def _boot_time_s() -> float:
    for line in (_PROC / "stat").read_text(encoding="ascii").splitlines():
        if line.startswith("btime "):
            return float(line.split()[1])
    return 0.0
