"""The signals that ask a command to stop, and how their handlers are installed."""

import signal
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

Handler: TypeAlias = Callable[[int, FrameType | None], None]

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
"""Requests to stop. Batch systems send SIGUSR1 ahead of the signal that ends the job."""

FORWARDED_SIGNALS = (*STOP_SIGNALS, signal.SIGUSR2)
"""Signals passed on to a command that runs as if it were started from the shell."""

TERMINAL_SIGNALS = (*FORWARDED_SIGNALS, signal.SIGQUIT, signal.SIGWINCH)
"""Signals passed on to a command that may be interactive: also those of a terminal's keys and size."""

LAB_END_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals that end a lab when its supervisor receives them. Its nodes ignore them and end with the supervisor."""


def not_ignored(signals: Iterable[signal.Signals] = STOP_SIGNALS) -> tuple[signal.Signals, ...]:
    """Those of `signals` that this process does not ignore: under `nohup`, SIGHUP stays ignored."""
    return tuple(number for number in signals if signal.getsignal(number) is not signal.SIG_IGN)


@contextmanager
def handled_by(handler: Handler, signals: Iterable[signal.Signals] = STOP_SIGNALS) -> Iterator[None]:
    """Install `handler` for those of `signals` that are not ignored; the previous handlers are restored on exit.

    Must be entered in the main thread.
    """
    previous = {number: signal.signal(number, handler) for number in not_ignored(signals)}
    try:
        yield
    finally:
        for number, restored in previous.items():
            signal.signal(number, restored)


class HeldSignals:
    """A handler that keeps signals until it is known what they are meant for."""

    def __init__(self) -> None:
        self.arrived: list[int] = []
        self._handler: Handler | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        if self._handler is None:
            self.arrived.append(number)
        else:
            self._handler(number, frame)

    def pass_to(self, handler: Handler) -> None:
        """Call `handler` for the signals that have arrived, and from now on at once."""
        self._handler = handler
        while self.arrived:
            handler(self.arrived.pop(0), None)


@contextmanager
def held_signals() -> Iterator[HeldSignals]:
    """Stop signals are held until `pass_to`, such as those that arrive while a process is started.

    Signals that were not passed on are handled at the end, as before. Must be entered in the main thread.
    """
    held = HeldSignals()
    try:
        with handled_by(held):
            yield held
    finally:
        for number in held.arrived:
            signal.raise_signal(number)


@contextmanager
def deferred(signals: Collection[signal.Signals] = STOP_SIGNALS) -> Iterator[Collection[int]]:
    """Signals that arrive in this context are handled at its end. Yields the previous signal mask, for child processes.

    Blocking the signals is not enough: where another thread receives one, Python calls the handler in the main thread
    all the same. Must be entered in the main thread.
    """
    arrived: list[int] = []
    try:
        with handled_by(lambda number, _: arrived.append(number), signals):
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
            try:
                yield mask
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    finally:
        for number in arrived:
            signal.raise_signal(number)


def reset_handlers() -> None:
    """Restore, in a forked child process, the default action of the stop signals that have a handler."""
    for number in STOP_SIGNALS:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
