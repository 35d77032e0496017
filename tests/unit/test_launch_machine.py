"""What a launch may use of this machine: real-time priority."""

import os
import subprocess
import sys

import pytest

from stressbench.launch.machine import scheduled_like_ranks

POLICY = "import os; print(os.sched_getscheduler(0))"


def test_what_is_started_takes_turns_with_ranks_and_this_process_goes_on_as_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_to: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "sched_setscheduler", lambda _, policy, one: set_to.append((policy, one.sched_priority)))
    before = os.sched_getscheduler(0), os.sched_getparam(0).sched_priority

    with pytest.raises(KeyError), scheduled_like_ranks():
        assert set_to == [(os.SCHED_RR, 1)]
        raise KeyError

    assert set_to == [(os.SCHED_RR, 1), before]


def test_without_the_right_to_it_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    before = os.sched_getscheduler(0)

    with scheduled_like_ranks():
        inner = subprocess.run([sys.executable, "-c", POLICY], capture_output=True, text=True, check=True).stdout

    assert int(inner) == before == os.sched_getscheduler(0)
