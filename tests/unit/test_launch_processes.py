"""The processes of a launch are found by the mark in their environment, whatever they are doing."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from support.programs import wait_until

from stressbench.launch.processes import LaunchMark, kill_all, marked_processes

LOOKS = 300
"""Of so many, ten met a process that was becoming another program when only one look was taken."""


@contextmanager
def started(*words: str | Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(words, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_process_that_becomes_another_program_all_the_time_is_found(tmp_path: Path) -> None:
    again = tmp_path / "again.sh"
    again.write_text('#!/bin/sh\nexec "$0"\n')
    again.chmod(0o755)
    mark = LaunchMark()

    with started(again, environment={**os.environ, **mark.environment()}) as process:
        found = [[one.pid for one in marked_processes(mark)] for _ in range(LOOKS)]

        assert found.count([process.pid]) == LOOKS
        assert kill_all(mark) == 1
        assert process.wait() < 0


def test_a_script_does_not_go_on_when_what_it_waits_for_is_killed_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, after, kill = LaunchMark(), tmp_path / "after", os.kill

    with started(
        "/bin/sh", "-c", f"sleep 27; touch {after}", environment={**os.environ, **mark.environment()}
    ) as script:
        wait_until(lambda: len(list(marked_processes(mark))) == 2, "the script waits")
        (sleeper,) = {one.pid for one in marked_processes(mark)} - {script.pid}

        def kill_the_sleeper_first(pid: int, number: int) -> None:
            if number == signal.SIGKILL:
                with suppress(ProcessLookupError):
                    kill(sleeper, number)
                time.sleep(0.1)
            kill(pid, number)

        monkeypatch.setattr(os, "kill", kill_the_sleeper_first)
        kill_all(mark)
        script.wait()

    assert not after.exists()


@pytest.mark.parametrize("environment", [{}, {"STRESSBENCH_LAUNCH": "another"}], ids=["none", "another"])
def test_processes_without_the_mark_are_left_alone(environment: dict[str, str]) -> None:
    with started("/bin/sleep", "27", environment=environment) as process:
        assert kill_all(LaunchMark()) == 0
        assert process.poll() is None


def test_a_zombie_and_threads_of_the_kernel_are_not_waited_for(tmp_path: Path) -> None:
    for number in ("2", "77"):
        (tmp_path / number).mkdir()
        for name in ("environ", "cmdline"):
            (tmp_path / number / name).touch()

    assert list(marked_processes(LaunchMark(proc=tmp_path))) == []
