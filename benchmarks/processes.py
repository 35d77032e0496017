"""What the kernel says about running processes: memory and processor time, from /proc."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Memory:
    """Kilobytes of 1024 bytes, as /proc has them."""

    peak_kib: int  # VmHWM: the most that was resident, shared pages counted in full
    proportional_kib: int  # Pss: shared pages divided among those who share
    anonymous_kib: int  # RssAnon: heap and stack, shared with nobody


def ranks_of(program: Path) -> list[int]:
    """Ids of the processes that run this program, lowest first."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "exe").readlink() == program:
                found.append(int(folder.name))
        except OSError:
            continue
    return sorted(found)


def memory_of(process: int) -> Memory:
    """Raises OSError when the process is gone."""
    folder = Path("/proc") / str(process)

    def kib(file: str, key: str) -> int:
        (line,) = (line for line in (folder / file).read_text().splitlines() if line.startswith(key + ":"))
        return int(line.split()[1])

    return Memory(kib("status", "VmHWM"), kib("smaps_rollup", "Pss"), kib("status", "RssAnon"))


def processor_time_s(process: int) -> float:
    """User and system time since the process began. Raises OSError when it is gone."""
    stat = (Path("/proc") / str(process) / "stat").read_text()
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
