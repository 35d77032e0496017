"""The clock of launches: when they began and ended, and alarms. Tests put another in its place."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol


class Alarm(Protocol):
    """An action that is to come."""

    def cancel(self) -> None:
        """Do nothing any more. Does nothing where the action has begun."""


class Clock(Protocol):
    """What launches know of time."""

    def now_s(self) -> float:
        """Seconds since any origin; never goes back."""

    def alarm(self, delay_s: float, action: Callable[[], object]) -> Alarm:
        """Call the action in a thread of its own when that much time has passed."""


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
    """The time by the clock in place, s."""
    return _clocks[-1].now_s()


def alarm(delay_s: float, action: Callable[[], object]) -> Alarm:
    """An alarm of the clock in place."""
    return _clocks[-1].alarm(delay_s, action)


@contextmanager
def timed_by(clock: Clock) -> Iterator[None]:
    """Put this clock in place; on exit the one before it is back."""
    _clocks.append(clock)
    try:
        yield
    finally:
        _clocks.pop()
