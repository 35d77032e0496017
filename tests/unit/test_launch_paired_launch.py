"""Two launches at once: who waits for whom, who ends whom, and that nothing is left. No MPI; small shell scripts."""

import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.fake_clock import FakeAlarm
from support.programs import wait_until

from stressbench.launch.clock import timed_by
from stressbench.launch.command import Command
from stressbench.launch.execute import execute
from stressbench.launch.paired_launch import PairedLaunch, PairOutcome, run_with_background
from stressbench.launch.stopping import StopPolicy

OBEYS = "trap 'echo stopped >>log; exit 0' USR1; touch ready; while :; do sleep 0.02; done"
DEAF = "trap '' USR1 TERM INT; touch ready; while :; do sleep 0.02; done"


def member(script: str, *, grace_s: float = 120.0, limit_s: float | None = None) -> PairedLaunch:
    return PairedLaunch(
        command=Command(argv=("sh", "-c", script)), stop_policy=StopPolicy(grace_s=grace_s, limit_s=limit_s)
    )


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def beside(program: PairedLaunch, background: PairedLaunch, *, ready_timeout_s: float = 120) -> PairOutcome:
    return run_with_background(
        program, background, ready=Path("ready").exists, ready_timeout_s=ready_timeout_s, log=lambda _: None
    )


class HourPassesWith:
    """A clock by which an hour has passed as soon as there is that file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def now_s(self) -> float:
        return 3600.0 * self._file.exists()

    def alarm(self, delay_s: float, action: Callable[[], object]) -> FakeAlarm:
        return FakeAlarm(self, self.now_s() + delay_s, action)


def processes_in(folder: Path) -> list[int]:
    """Live processes with this working directory, except this one."""

    def is_in(process: Path) -> bool:
        try:
            return (process / "cwd").readlink() == folder
        except OSError:  # it has ended, or is of another user
            return False

    found = [int(process.name) for process in Path("/proc").glob("[0-9]*") if is_in(process)]
    return [process for process in found if process != os.getpid()]


def require_nobody_left(folder: Path) -> None:
    wait_until(lambda: not processes_in(folder), "no process of the launches is left")


def soon(action: Callable[[], None], *, after: Path) -> threading.Thread:
    """Do it in a moment, once that file is there."""

    def wait() -> None:
        while not after.exists():
            time.sleep(0.02)
        action()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def test_the_program_begins_when_its_background_launch_is_ready_and_ends_it(here: Path) -> None:
    ended = beside(member("test -e ready && echo program >>log; exit 5"), member(OBEYS))

    assert ended.program is not None
    assert ended.program.status == 5
    assert (here / "log").read_text().split() == ["program", "stopped"]
    assert ended.background.status == 0
    assert (ended.interrupted, ended.out_of_time, ended.lost_background) == (False, False, False)
    assert ended.ready_s is not None
    assert ended.ready_s <= ended.program.began_s <= ended.program.ended_s


def test_a_background_launch_whose_round_is_of_no_use_is_not_asked(here: Path) -> None:
    ended = beside(member("exit 0"), replace(member(OBEYS), ends_at_once=True))

    assert ended.program is not None
    assert ended.program.status == 0
    assert not (here / "log").exists()
    assert (ended.interrupted, ended.out_of_time, ended.lost_background) == (False, False, False)
    require_nobody_left(here)


def test_a_background_launch_that_does_not_stop_is_killed(here: Path) -> None:
    ended = beside(member("exit 0"), member(DEAF, grace_s=0.2))

    assert ended.program is not None
    assert ended.program.status == 0
    require_nobody_left(here)


def test_a_background_launch_that_never_is_ready_is_ended_and_the_program_does_not_begin(here: Path) -> None:
    with timed_by(HourPassesWith(here / "listens")):
        ended = beside(member("touch begun"), member(OBEYS.replace("touch ready", "touch listens")))

    assert ended.program is None
    assert (here / "log").read_text() == "stopped\n"
    assert not (here / "begun").exists()


def test_a_background_launch_that_ends_takes_the_program_with_it(here: Path) -> None:
    background = "touch ready; until [ -e begun ]; do sleep 0.02; done; exit 4"

    ended = beside(member("trap '' USR1; touch begun; sleep 86400"), member(background))

    assert ended.lost_background
    assert ended.background.status == 4
    assert ended.program is not None
    assert ended.program.status != 0
    require_nobody_left(here)


def test_a_program_is_ended_at_its_time_limit(here: Path) -> None:
    ended = beside(member(DEAF, grace_s=0.0, limit_s=0.3), member(OBEYS))

    assert ended.out_of_time
    assert (here / "log").read_text() == "stopped\n"
    require_nobody_left(here)


def test_a_signal_ends_both(here: Path) -> None:
    thread = soon(lambda: os.kill(os.getpid(), signal.SIGTERM), after=here / "begun")

    ended = beside(member("touch begun; exec sleep 86400"), member(OBEYS))

    thread.join()
    assert ended.program is not None
    assert ended.program.status != 0
    assert ended.interrupted
    assert not ended.out_of_time
    assert (here / "log").read_text() == "stopped\n"


def test_a_program_that_cannot_be_started_leaves_no_background_launch(here: Path) -> None:
    missing = PairedLaunch(command=Command(argv=("gone-program",)), stop_policy=StopPolicy())

    with pytest.raises(FileNotFoundError):
        beside(missing, member(OBEYS))

    assert (here / "log").read_text() == "stopped\n"


def test_what_outlives_its_launcher_is_counted(here: Path) -> None:
    ended = execute(Command(argv=("sh", "-c", "sleep 86400 & sleep 86400 & exit 0")))

    assert (ended.status, ended.killed_processes) == (0, 2)
    assert ended.ended_s - ended.began_s >= 0
    require_nobody_left(here)
