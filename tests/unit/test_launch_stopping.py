"""What is asked of a launch, with a process, a clock and alarms that only note what they are told."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stressbench.launch.clock import timed_by
from stressbench.launch.processes import LaunchMark
from stressbench.launch.stopping import Launch, StopPolicy


class SignalledProcess:
    """A process that notes its signals."""

    def __init__(self) -> None:
        self.signals: list[int] = []

    def send_signal(self, number: int) -> None:
        self.signals.append(number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


class Alarm:
    """One of a clock's; whether it was cancelled is nobody's question here."""

    def cancel(self) -> None:
        raise NotImplementedError


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self._now_s = 100.0
        self._set: list[tuple[float, Callable[[], object]]] = []

    def now_s(self) -> float:
        return self._now_s

    def alarm(self, delay_s: float, action: Callable[[], object]) -> Alarm:
        self._set.append((self._now_s + delay_s, action))
        return Alarm()

    def pass_time(self, seconds: float) -> None:
        end_s = self._now_s + seconds
        while due := sorted((one for one in self._set if one[0] <= end_s), key=lambda one: one[0]):
            self._set.remove(due[0])
            self._now_s = due[0][0]
            due[0][1]()
        self._now_s = end_s


class Case:
    """A launch whose ranks listen when `listens` is set."""

    def __init__(self, tmp_path: Path) -> None:
        self.listens = False
        self.process, self.clock = SignalledProcess(), Clock()
        self.launch = Launch(
            process=self.process,  # type: ignore[arg-type]
            mark=LaunchMark(proc=tmp_path), log=lambda _: None, stop_policy=StopPolicy(grace_s=60.0),
            has_finished=lambda: False, has_started=lambda: self.listens,
        )  # fmt: skip

    def hears(self, number: int) -> None:
        self.launch.on_signal(number, None)


@pytest.fixture
def case(tmp_path: Path) -> Iterator[Case]:
    made = Case(tmp_path)
    with timed_by(made.clock):
        yield made


def test_ranks_that_listen_are_asked_at_once(case: Case) -> None:
    case.listens = True

    case.hears(signal.SIGINT)

    assert case.process.signals == [signal.SIGUSR1]


def test_ranks_that_only_start_are_asked_once_when_they_listen(case: Case) -> None:
    case.hears(signal.SIGINT)
    case.clock.pass_time(1)
    assert case.process.signals == []

    case.listens = True
    case.clock.pass_time(30)

    assert case.process.signals == [signal.SIGUSR1]


def test_ranks_of_which_nothing_is_seen_are_asked_a_moment_later(case: Case) -> None:
    """Their file may be one that only another host sees."""
    case.hears(signal.SIGINT)
    case.clock.pass_time(30)

    assert case.process.signals == [signal.SIGUSR1]


def test_a_second_request_is_not_held_back(case: Case) -> None:
    case.hears(signal.SIGINT)
    case.clock.pass_time(1)

    case.hears(signal.SIGINT)
    case.listens = True
    case.clock.pass_time(30)

    assert case.process.signals == [signal.SIGTERM]


def test_ranks_have_their_grace_beyond_their_time_limit(case: Case) -> None:
    case.launch.stop_policy = StopPolicy(limit_s=100.0, grace_s=60.0)
    case.launch.start_time_limit()

    case.clock.pass_time(159)
    assert case.process.signals == []

    case.clock.pass_time(2)
    assert case.process.signals == [signal.SIGTERM]


def test_ranks_without_a_time_limit_are_left_alone(case: Case) -> None:
    case.launch.start_time_limit()

    case.clock.pass_time(1e9)

    assert case.process.signals == []
