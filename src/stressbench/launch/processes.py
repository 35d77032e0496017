"""The processes of one launch, found by a mark in their environment, which every local rank inherits from `mpirun`.

Process groups and sessions would not find them: Open MPI gives each rank its own group, hydra its own session.
"""

import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from stressbench.formats.units import parse_digits

MARK_VARIABLE = "STRESSBENCH_LAUNCH"
_MAX_READS, _READ_INTERVAL_S = 1000, 1e-3
_MAX_EMPTY_READS = 5
"""Reads that show arguments but no environment until a process counts as having none. execve may cause a few."""
_RANK_VARIABLES = (b"PMI_RANK=", b"PMIX_RANK=", b"OMPI_COMM_WORLD_RANK=")


@dataclass(frozen=True, kw_only=True)
class LaunchMark:
    """A random text that only the processes of one launch have in their environment."""

    text: str = field(default_factory=lambda: secrets.token_hex(12))
    proc: Path = Path("/proc")

    def environment(self) -> dict[str, str]:
        """Variables to add to the environment of the first process."""
        return {MARK_VARIABLE: self.text}


@dataclass(frozen=True, kw_only=True)
class MarkedProcess:
    """A live process of the launch; `rank` is None for launchers and their daemons."""

    pid: int
    rank: int | None


def marked_processes(mark: LaunchMark) -> Iterator[MarkedProcess]:
    """All live processes of this user on this machine with the mark, except zombies."""
    mark_pair = f"{MARK_VARIABLE}={mark.text}".encode()
    for folder in mark.proc.glob("[0-9]*"):
        try:
            pairs = environment_of(folder).split(b"\0")
        except OSError:  # the process has ended, or belongs to another user
            continue
        if mark_pair in pairs:
            yield MarkedProcess(pid=int(folder.name), rank=_rank(pairs))


def environment_of(folder: Path) -> bytes:
    """All `NAME=VALUE` of the process with this folder in /proc, each ended by a zero byte. Raises OSError.

    During execve a process has no environment for a moment, so the read is repeated.
    """
    empty_reads = 0
    for _ in range(_MAX_READS):
        if environment := (folder / "environ").read_bytes():
            return environment
        if (folder / "cmdline").read_bytes():  # execve is complete, or there is no environment at all
            empty_reads += 1
        else:
            (folder / "exe").readlink()  # raises OSError for kernel threads and zombies, which have no program
            time.sleep(_READ_INTERVAL_S)
        if empty_reads == _MAX_EMPTY_READS:
            break
    return b""


def _rank(pairs: list[bytes]) -> int | None:
    for pair in pairs:
        for variable in _RANK_VARIABLES:
            text = pair.removeprefix(variable).decode("latin-1")
            if pair.startswith(variable) and (rank := parse_digits(text)) is not None:
                return rank
    return None


def kill_all(mark: LaunchMark) -> int:
    """Send SIGKILL to all processes with the mark until none is left, and return how many were hit.

    All are stopped first: a script whose launcher is killed before it would go on with its next command.
    """
    killed: set[int] = set()
    for _ in range(100):  # a process may fork between the look and the kill
        alive = {process.pid for process in marked_processes(mark)} - {os.getpid()}
        if not alive - killed:
            break
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in alive:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
        killed |= alive
    return len(killed)
