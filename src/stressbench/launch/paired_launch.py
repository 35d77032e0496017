"""Two launches at once: a program, and a background launch that starts before it and is asked to stop when it ends.

Both are started, ended and cleaned up as in `execute`.
"""

import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

from stressbench.launch import clock
from stressbench.launch.command import Command
from stressbench.launch.execute import Outcome, start_launch, wait_for_launch
from stressbench.launch.stopping import Launch, StopPolicy
from stressbench.stop_signals import held_signals

_POLL_INTERVAL_S = 0.01


@dataclass(frozen=True, kw_only=True)
class PairedLaunch:
    """One of the two launches: its command, and how it is stopped.

    `has_started`: whether its ranks handle stop requests. `has_finished`: whether its work is done. `ends_at_once`: a
    background launch is not asked to finish its round when the program has ended.
    """

    command: Command
    stop_policy: StopPolicy
    has_started: Callable[[], bool] = lambda: True
    has_finished: Callable[[], bool] = lambda: False
    ends_at_once: bool = False


@dataclass(frozen=True, kw_only=True)
class PairOutcome:
    """How both ended. `program` is None where it never started, since the other was not ready or a stop was requested.

    `ready_s`: when the background launch was ready, by the clock of launches, None: never. `interrupted`: a signal
    requested a stop. `out_of_time`: the program was ended at its time limit. `lost_background`: the program was ended
    because the background launch had ended before it.
    """

    program: Outcome | None
    background: Outcome
    ready_s: float | None
    interrupted: bool
    out_of_time: bool
    lost_background: bool


class _RunningPair:
    """State shared by the main thread, signal handlers and the thread of the background launch."""

    def __init__(self, background: Launch, log: Callable[[str], None]) -> None:
        self.background = background
        self.program: Launch | None = None
        self.program_ended = threading.Event()
        self.lost_background = False
        self.requests = 0
        self._log = log
        self._background_ended = False
        self._lock = threading.Lock()
        self._outcomes: list[Outcome] = []
        self._thread = threading.Thread(target=self._wait_for_background, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _wait_for_background(self) -> None:
        self._outcomes.append(wait_for_launch(self.background, output_to=2))
        with self._lock:
            self._background_ended = True
            self._end_without_background()

    def join(self, program: Launch) -> None:
        """Register the started program. It is ended if the other has ended or a stop was requested just before."""
        with self._lock:
            self.program = program
            if self._background_ended:
                self._end_without_background()
        if self.requests and program.stop_requests == 0:
            program.request_stop("stop", no_deadline=False)

    def _end_without_background(self) -> None:
        if self.program is not None and not self.program_ended.is_set() and self.requests == 0:
            self.lost_background = True
            self.program.end_now()

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        requests_before = self.background.stop_requests
        self.background.on_signal(number, frame)
        if self.background.stop_requests == requests_before:
            return
        self.requests += 1
        if self.program is not None:
            self.program.on_signal(number, frame)
        if self.requests == 1:
            self._log(f"{signal.Signals(number).name}: ending the program and its probes; once more ends all now")

    @property
    def background_runs(self) -> bool:
        return self._thread.is_alive()

    def stop_background(self, *, at_once: bool) -> Outcome:
        """Ask the background launch to stop, unless it was asked already, or end it `at_once`; wait for its end."""
        if self.background.stop_requests == 0 and self.background_runs:
            if at_once:
                self.background.end_at_once()
            else:
                self.background.request_stop("end", no_deadline=False)
        self._thread.join()
        return self._outcomes[0]


def run_with_background(
    program: PairedLaunch,
    background: PairedLaunch,
    *,
    ready: Callable[[], bool],
    ready_timeout_s: float,
    log: Callable[[str], None],
) -> PairOutcome:
    """Start the background launch, wait until it is `ready`, run the program to its end, and end the background launch.

    If the background launch ends by itself, the program is ended as well. Must be called from the main thread. Raises
    OSError where one of them cannot be started; neither is running then.
    """
    ready_deadline_s = clock.now_s() + ready_timeout_s
    program_outcome: Outcome | None = None
    with held_signals() as signals:
        pair = _RunningPair(_start(background), log)
        signals.pass_to(pair.on_signal)
        pair.start()
        try:
            ready_s = _wait_until_ready(pair, ready, ready_deadline_s)
            if ready_s is not None and pair.requests == 0:
                launch = _start(program)
                pair.join(launch)
                program_outcome = wait_for_launch(launch)
        finally:
            pair.program_ended.set()
            background_outcome = pair.stop_background(at_once=background.ends_at_once)
    interrupted = pair.requests > 0
    stopped = pair.program is not None and pair.program.stop_requests > 0
    return PairOutcome(
        program=program_outcome, background=background_outcome, ready_s=ready_s, interrupted=interrupted,
        out_of_time=stopped and not interrupted, lost_background=pair.lost_background,
    )  # fmt: skip


def _start(paired: PairedLaunch) -> Launch:
    return start_launch(
        paired.command, stop_policy=paired.stop_policy, has_started=paired.has_started,
        has_finished=paired.has_finished, log=lambda _: None,
    )  # fmt: skip


def _wait_until_ready(pair: _RunningPair, ready: Callable[[], bool], deadline_s: float) -> float | None:
    """When the background launch was ready, None where it ended before, took too long, or a stop was requested."""
    while pair.background_runs and pair.requests == 0 and clock.now_s() < deadline_s:
        if ready():
            return clock.now_s()
        time.sleep(_POLL_INTERVAL_S)
    return None
