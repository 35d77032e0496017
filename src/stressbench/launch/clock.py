"""The clock of launches, for start and end times and for alarms. Tests replace it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Alarm(Protocol):
    """A scheduled action."""

    def cancel(self) -> None:
        """Cancel the action. Has no effect once the action has begun."""


class Clock(Protocol):
    """Source of time and alarms for launches."""

    def now_s(self) -> float:
        """Seconds since an arbitrary origin, monotonic."""

    def alarm(self, delay_s: float, action: Callable[[], object]) -> Alarm:
        """Call the action in a thread of its own after the delay."""


class _Monotonic:
    def now_s(self) -> float:
        return time.monotonic()

    def alarm(self, delay_s: float, action: Callable[[], object]) -> Alarm:
        timer = threading.Timer(delay_s, action)
        timer.daemon = True
        timer.start()
        return timer


_clocks: list[Clock] = [_Monotonic()]


def now_s() -> float:
    """The time of the current clock, s."""
    return _clocks[-1].now_s()


def alarm(delay_s: float, action: Callable[[], object]) -> Alarm:
    """Schedule an action on the current clock."""
    return _clocks[-1].alarm(delay_s, action)


@contextmanager
def timed_by(clock: Clock) -> Iterator[None]:
    """Context in which this clock is the current one."""
    _clocks.append(clock)
    try:
        yield
    finally:
        _clocks.pop()
