"""When the launches of a program start."""

import os
import signal
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from stressbench.errors import Interrupted
from stressbench.experiments.progress import silent
from stressbench.experiments.sweep.launches import LaunchSweep
from stressbench.formats.launches.rails import JOURNAL, LaunchRecord, PlanRecord
from stressbench.launch.execute import Outcome

AT = datetime(2026, 1, 2, tzinfo=UTC)


class Clock:
    """A clock that only moves while somebody sleeps, and while launches run, 3 s each."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.starts: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    def launch(self, condition: str, repetition: int) -> tuple[LaunchRecord, Outcome]:
        self.starts.append(self.now_s)
        self.now_s += 3
        record = LaunchRecord(
            at=AT, policy=condition, repetition=repetition, status=0, wall_s=3, figures={}, carried=None
        )
        return record, Outcome(status=0, output="", errors="", stop_requests=0, rank_of=(), began_s=0, ended_s=3)


def sweep_of(clock: Clock, *, interval_s: float) -> LaunchSweep[str, PlanRecord, LaunchRecord]:
    plan = PlanRecord(
        at=AT, version="1", command=("amg",), on="local", runs=2, seed=1, figures={}, ranks=2, policies=("a", "b"),
        nics=(), transport=None,
    )  # fmt: skip
    return LaunchSweep(
        plan=plan, order=[("a", 0), ("b", 0), ("a", 1)], launch=clock.launch, journal=JOURNAL, command="rails",
        read_from="", progress=silent, interval_s=interval_s, clock=lambda: clock.now_s, sleep=clock.sleep,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("interval_s", "starts"), [(0.0, [100, 103, 106]), (2.0, [100, 103, 106]), (60.0, [100, 160, 220])]
)
def test_launches_start_at_least_the_interval_apart(tmp_path: Path, interval_s: float, starts: list[float]) -> None:
    clock = Clock()

    assert sweep_of(clock, interval_s=interval_s).run(tmp_path / "d") == 0

    assert clock.starts == pytest.approx(starts)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_the_wait_for_the_next_launch(tmp_path: Path) -> None:
    clock = Clock()

    def press(seconds: float) -> None:
        clock.now_s += seconds
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted):
        replace(sweep_of(clock, interval_s=60.0), sleep=press).run(tmp_path / "d")

    assert clock.starts == [100.0]
    assert clock.now_s < 110
