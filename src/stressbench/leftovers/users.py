"""What live processes of this user have open, map, or name: whoever is dead, or a zombie, needs nothing any more."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from stressbench.lab.process import find_process
from stressbench.launch.processes import environment_of

_PROC = Path("/proc")
_FAMILIES = (  # a job's number holds in its upper half that of its family, which all jobs of a launch share
    (re.compile(r"PMIX_NAMESPACE=(\d+)\0"), 10),
    (re.compile(r"seg-(\d+)"), 10),
    (re.compile(r"(?:vader|sm)_segment\.[^/\0\n]*?\.\d+\.([0-9a-f]+)\."), 16),
)
_MAPPED = re.compile(r"^\S+ \S+ \S+ ([0-9a-f]+):([0-9a-f]+) (\d+) *(.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Users:
    """Live processes of a user: `started_s` since 1970 by id; `files` by device and number; texts that name paths."""

    started_s: Mapping[int, float]
    files: frozenset[tuple[int, int]]
    texts: tuple[str, ...]

    def name(self, text: str) -> bool:
        """Whether a path or an environment holds this text."""
        return any(text in one for one in self.texts)

    def families(self) -> frozenset[int]:
        """Families of jobs of Open MPI that live."""
        return frozenset(
            int(number, base) >> 16 for pattern, base in _FAMILIES for text in self.texts
            for number in pattern.findall(text)
        )  # fmt: skip


def live_users(user: int) -> Users:
    """As they are now. To be asked after leftovers were listed: whoever makes files later made none of them."""
    boot_s = _boot_s()
    started: dict[int, float] = {}
    files: set[tuple[int, int]] = set()
    texts: list[str] = []
    for folder in _PROC.glob("[0-9]*"):
        with suppress(OSError):
            if folder.stat().st_uid != user:
                continue
            process = find_process(int(folder.name))
            if process is None:
                continue
            started[process.pid] = boot_s + process.started / os.sysconf("SC_CLK_TCK")
            texts.append(environment_of(folder).decode(errors="replace") + "\0")
            for path, found in _open_files(folder):  # before what is mapped: files are mapped before they are closed
                texts.append(path)
                files.add(found)
            mapped = (folder / "maps").read_text(encoding="utf-8", errors="replace")
            for major, minor, number, path in _MAPPED.findall(mapped):
                if path:
                    texts.append(path)
                    files.add((os.makedev(int(major, 16), int(minor, 16)), int(number)))
    return Users(started_s=started, files=frozenset(files), texts=tuple(dict.fromkeys(texts)))


def _open_files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for path in ((folder / "cwd"), *(folder / "fd").iterdir()):
        with suppress(OSError):
            found = path.stat()
            yield str(path.readlink()), (found.st_dev, found.st_ino)


def _boot_s() -> float:
    for line in (_PROC / "stat").read_text(encoding="ascii").splitlines():
        if line.startswith("btime "):
            return float(line.split()[1])
    return 0.0
