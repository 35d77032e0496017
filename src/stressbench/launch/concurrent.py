"""Several launches at the same time. Each is started, ended and cleaned up as in `execute`."""

import os
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from stressbench.formats.errors import reason_of
from stressbench.launch.command import Command
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome, start_launch, wait_for_launch
from stressbench.launch.stopping import Launch, StopPolicy
from stressbench.stop_signals import handled_by

_SIGNAL_POLL_INTERVAL_S = 0.2


@dataclass(frozen=True, kw_only=True)
class EndedLaunch:
    """A launch that ended, by the key under which it was started."""

    key: int
    outcome: Outcome


class ConcurrentLaunches:
    """Starts launches under keys, and reports their ends one by one. All methods are for the main thread.

    What programs print is kept in their outcome only. After a stop signal all launches are ended.
    """

    def __init__(self, nowhere: int) -> None:
        self._nowhere = nowhere
        self._running: dict[int, Launch] = {}
        self._ended: queue.SimpleQueue[EndedLaunch] = queue.SimpleQueue()
        self.interrupted = False

    @property
    def running(self) -> int:
        """Number of launches whose end was not reported yet."""
        return len(self._running)

    def start(self, key: int, command: Command, *, limit_s: float | None = None) -> None:
        """Start the command; it is ended after `limit_s`. Raises LaunchMistake if it cannot be started."""
        try:
            launch = start_launch(command, stop_policy=StopPolicy(grace_s=0.0, limit_s=limit_s), log=lambda _: None)
        except OSError as fault:
            raise LaunchMistake(f"{command.argv[0]}: {reason_of(fault)}") from fault
        self._running[key] = launch
        threading.Thread(target=self._wait, args=(key, launch), daemon=True).start()
        if self.interrupted:  # a signal that arrived while it was started
            launch.end_now()

    def next_end(self) -> EndedLaunch:
        """Wait for the next end of a launch. There must be one that is running."""
        while True:
            try:
                ended = self._ended.get(timeout=_SIGNAL_POLL_INTERVAL_S)
            except queue.Empty:
                continue
            del self._running[ended.key]
            return ended

    def end_all(self) -> tuple[EndedLaunch, ...]:
        """End all launches that are running, and wait until they have ended."""
        for launch in self._running.values():
            launch.end_now()
        return tuple(self.next_end() for _ in range(self.running))

    def on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  signature of a handler
        """End all launches."""
        self.interrupted = True
        for launch in tuple(self._running.values()):
            launch.end_now()

    def _wait(self, key: int, launch: Launch) -> None:
        outcome = wait_for_launch(launch, output_to=self._nowhere, errors_to=self._nowhere)
        self._ended.put(EndedLaunch(key=key, outcome=outcome))


@contextmanager
def concurrent_launches() -> Iterator[ConcurrentLaunches]:
    """Context in which launches can run at the same time. None runs after it. Must be entered in the main thread."""
    with Path(os.devnull).open("wb") as nowhere:
        launches = ConcurrentLaunches(nowhere.fileno())
        with handled_by(launches.on_signal):
            try:
                yield launches
            finally:
                launches.end_all()
