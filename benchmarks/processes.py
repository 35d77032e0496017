"""Memory and processor time of running processes, from /proc."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Memory:
    """Memory in KiB as reported in /proc."""

    peak_kib: int  # VmHWM: peak resident memory, including shared pages
    proportional_kib: int  # Pss: shared pages divided by the number of processes that share them
    anonymous_kib: int  # RssAnon: heap and stack, not shared


def ranks_of(program: Path) -> list[int]:
    """Ids of the processes that run this program, in ascending order."""
    ids = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "exe").readlink() == program:
                ids.append(int(folder.name))
        except OSError:
            continue
    return sorted(ids)


def memory_of(process: int) -> Memory:
    """Memory of a process. Raises OSError if it has ended."""
    folder = Path("/proc") / str(process)

    def kib(file: str, key: str) -> int:
        (line,) = (line for line in (folder / file).read_text().splitlines() if line.startswith(key + ":"))
        return int(line.split()[1])

    return Memory(kib("status", "VmHWM"), kib("smaps_rollup", "Pss"), kib("status", "RssAnon"))


def processor_time_s(process: int) -> float:
    """User and system time (s) of a process. Raises OSError if it has ended."""
    stat = (Path("/proc") / str(process) / "stat").read_text()
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
