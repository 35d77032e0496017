"""The kernel's threads that pass on frames take turns with ranks while labs are up, and only then."""

import os
from pathlib import Path

import pytest

from stressbench.labs.kernel_threads import schedule_as_usual, schedule_with_ranks

USUAL, OURS, OTHERS = (os.SCHED_OTHER, 0), (os.SCHED_RR, 1), (os.SCHED_FIFO, 5)


class Kernel:
    """Made-up processes in a folder like /proc, and their scheduling. `refused`: ids that may not be changed."""

    def __init__(self, folder: Path) -> None:
        self.proc = folder
        self.scheduling: dict[int, tuple[int, int]] = {}
        self.refused: set[int] = set()
        (folder / "meminfo").touch()

    def add(self, pid: int, name: str, *, command: bytes = b"", scheduling: tuple[int, int] = USUAL) -> None:
        place = self.proc / str(pid)
        place.mkdir()
        (place / "comm").write_text(f"{name}\n")
        (place / "cmdline").write_bytes(command)
        self.scheduling[pid] = scheduling

    def end(self, pid: int) -> None:
        for file in (self.proc / str(pid)).iterdir():
            file.unlink()
        (self.proc / str(pid)).rmdir()

    def set(self, pid: int, policy: int, parameters: os.sched_param) -> None:
        if pid in self.refused:
            raise PermissionError
        self.scheduling[pid] = (policy, parameters.sched_priority)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel(tmp_path)
    made.add(14, "ksoftirqd/0")
    made.add(22, "ksoftirqd/1")
    made.add(23, "kworker/1:0")
    made.add(99, "ksoftirqd/0", command=b"./ksoftirqd/0\0")
    monkeypatch.setattr(os, "sched_getscheduler", lambda pid: made.scheduling[pid][0])
    monkeypatch.setattr(os, "sched_getparam", lambda pid: os.sched_param(made.scheduling[pid][1]))
    monkeypatch.setattr(os, "sched_setscheduler", made.set)
    return made


def test_the_threads_of_all_cores_get_the_ranks_priority_and_lose_it_again(kernel: Kernel) -> None:
    schedule_with_ranks(proc=kernel.proc)
    assert kernel.scheduling == {14: OURS, 22: OURS, 23: USUAL, 99: USUAL}

    schedule_as_usual(proc=kernel.proc)
    assert set(kernel.scheduling.values()) == {USUAL}


def test_they_keep_it_while_another_lab_is_up(kernel: Kernel) -> None:
    schedule_with_ranks(proc=kernel.proc)
    kernel.add(50, "python3", command=b"python3\0-P\0-m\0stressbench.labs.supervisor\x007\0")

    schedule_as_usual(proc=kernel.proc)
    assert kernel.scheduling[14] == OURS

    kernel.end(50)
    schedule_as_usual(proc=kernel.proc)
    assert kernel.scheduling[14] == USUAL


def test_what_an_administrator_set_stays(kernel: Kernel) -> None:
    kernel.scheduling[14] = OTHERS

    schedule_with_ranks(proc=kernel.proc)
    schedule_as_usual(proc=kernel.proc)

    assert kernel.scheduling[14] == OTHERS


def test_nothing_happens_without_permission(kernel: Kernel) -> None:
    kernel.refused = {14, 22}

    schedule_with_ranks(proc=kernel.proc)

    assert set(kernel.scheduling.values()) == {USUAL}
