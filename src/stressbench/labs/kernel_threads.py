"""Scheduling of the kernel's threads that pass on frames.

Frames go from node to node of a lab in software interrupts. Under load, the kernel leaves these to its threads
`ksoftirqd/N`, one for each core, which it schedules like any process: beside ranks that poll at real-time priority,
frames then wait for a core, and links carry less than their rate. While a lab is up, these threads take turns with the
ranks. Without the permission to change that, they stay as they are.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from stressbench.labs.process import SUPERVISOR

_PROC = Path("/proc")
_NAME = "ksoftirqd/"
_PRIORITY = 1  # that of ranks, so that neither keeps the other from running


def schedule_with_ranks(*, proc: Path = _PROC) -> None:
    """Give the threads the ranks' real-time priority, unless somebody gave them another one."""
    for pid in _threads(proc):
        with suppress(OSError):
            if os.sched_getscheduler(pid) == os.SCHED_OTHER:
                os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(_PRIORITY))


def schedule_as_usual(*, proc: Path = _PROC) -> None:
    """Undo `schedule_with_ranks`, unless a lab is up, of whatever user."""
    if _has_labs(proc):
        return
    for pid in _threads(proc):
        with suppress(OSError):
            is_ours = os.sched_getscheduler(pid) == os.SCHED_RR and os.sched_getparam(pid).sched_priority == _PRIORITY
            if is_ours:
                os.sched_setscheduler(pid, os.SCHED_OTHER, os.sched_param(0))


def _threads(proc: Path) -> Iterator[int]:
    for folder in _processes(proc):
        with suppress(OSError):
            name = (folder / "comm").read_text(encoding="utf-8", errors="replace")
            if name.startswith(_NAME) and not (folder / "cmdline").read_bytes():  # only kernel threads have none
                yield int(folder.name)


def _has_labs(proc: Path) -> bool:
    for folder in _processes(proc):
        with suppress(OSError):
            if SUPERVISOR.encode() in (folder / "cmdline").read_bytes():
                return True
    return False


def _processes(proc: Path) -> Iterator[Path]:
    return (folder for folder in proc.iterdir() if folder.name.isdecimal())
