"""Stopping a launch: a request, a final request, and killing its ranks.

The first request is sent as SIGUSR1, which Open MPI, hydra and srun forward to every rank on every host. The engine
then finishes its round and writes its end record. (SIGINT and SIGTERM are unsuitable: Open MPI kills its ranks one
second later.) The second request ends everything, and so does the first if ranks still run after the grace period,
since they may hang. A time limit is left to the engine until its grace period is over, too. SIGUSR1 from outside is
only a request without a grace period, since batch systems send it ahead of the actual signal.

SIGUSR1 kills a rank that does not handle it yet, and `mpirun` of Open MPI 4.1 may deadlock when it loses a rank during
its start. So the request is held back until the launch `has_started`, but only for a few seconds.
"""

import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

from stressbench.launch import clock
from stressbench.launch.output_pipe import OutputPipe
from stressbench.launch.processes import LaunchMark, kill_all, marked_processes

TERMINATION_GRACE_S = 3.0
_NO_DEADLINE_SIGNAL = signal.SIGUSR1
_POLL_INTERVAL_S = 5.0
_FINALIZE_TIMEOUT_S = 15.0
_STARTUP_TIMEOUT_S = 5.0
_STARTUP_POLL_INTERVAL_S = 0.1
_DUPLICATE_SIGNAL_S = 0.5  # `timeout` sends its signal to the process and to its group


@dataclass(frozen=True, kw_only=True)
class StopPolicy:
    """How long ranks may continue after a stop request, and their time limit (None: no limit), in seconds."""

    grace_s: float = 60.0
    limit_s: float | None = None


@dataclass(kw_only=True)
class Launch:
    """A running launcher, and the stop requests that it has received."""

    process: subprocess.Popen[bytes]
    mark: LaunchMark
    log: Callable[[str], None]
    stop_policy: StopPolicy
    has_finished: Callable[[], bool]
    has_started: Callable[[], bool] = lambda: True
    output_pipe: OutputPipe | None = None
    began_s: float = 0.0
    stop_requests: int = 0
    hung_in_finalize: bool = False
    rank_of: dict[int, int] = field(default_factory=dict)
    alarms: list[clock.Alarm] = field(default_factory=list)
    last_signal: tuple[int, float] = (0, 0.0)

    def on_signal(self, number: int, _: FrameType | None) -> None:
        """Handle a stop signal. The same signal twice within half a second counts once."""
        now = clock.now_s()
        if number == self.last_signal[0] and now - self.last_signal[1] <= _DUPLICATE_SIGNAL_S:
            return
        self.last_signal = (number, now)
        self.request_stop(signal.Signals(number).name, no_deadline=number == _NO_DEADLINE_SIGNAL)

    def request_stop(self, name: str, *, no_deadline: bool) -> None:
        """The first request asks ranks to end, the second ends the launcher, the third kills all processes."""
        self.stop_requests += 1
        if self.stop_requests == 1:
            within = "" if no_deadline else f" within {self.stop_policy.grace_s:g} s"
            self.log(f"{name}: the engine finishes the current round{within} and ends the file; once more ends all now")
            self.send_stop_signal(until_s=clock.now_s() + _STARTUP_TIMEOUT_S)
            if not no_deadline:
                self.after(self.stop_policy.grace_s, self.end_after_grace_period)
        elif self.stop_requests == 2:
            self.log(f"{name} again: ending all now; this round is lost, the rounds before it are in the file")
            self.end_now()
        else:
            kill_all(self.mark)

    def send_stop_signal(self, *, until_s: float) -> None:
        """Send SIGUSR1 as soon as ranks handle it, at the latest at `until_s` of the clock."""
        if self.stop_requests > 1:
            return
        if self.has_started() or clock.now_s() >= until_s:
            self.process.send_signal(signal.SIGUSR1)
        else:
            self.after(_STARTUP_POLL_INTERVAL_S, lambda: self.send_stop_signal(until_s=until_s))

    def end_after_grace_period(self) -> None:
        """End everything: ranks hang, or their round takes too long."""
        if self.stop_requests == 1:
            self.end_overdue(f"{self.stop_policy.grace_s:g} s after they were asked to end")

    def start_time_limit(self) -> None:
        """End everything when the grace period after the time limit is over."""
        limit_s, grace_s = self.stop_policy.limit_s, self.stop_policy.grace_s
        if limit_s is not None:
            self.after(limit_s + grace_s, lambda: self.end_overdue(f"{grace_s:g} s after their time limit"))

    def watch_for_hanging_ranks(self, *, is_complete: bool = False) -> None:
        """End ranks that have completed the run but hang in MPI_Finalize, as those of MPICH over UCX before 4.2 may."""
        if is_complete:
            self.hung_in_finalize = True
            self.log(f"the run is complete, but ranks do not end within {_FINALIZE_TIMEOUT_S:g} s: ending them")
            self.end_now()
        else:
            is_complete = self.has_finished()
            self.after(
                _FINALIZE_TIMEOUT_S if is_complete else _POLL_INTERVAL_S,
                lambda: self.watch_for_hanging_ranks(is_complete=is_complete),
            )

    def end_overdue(self, since: str) -> None:
        """End everything without a second request."""
        self.stop_requests += 1
        self.log(f"ranks still run {since}: ending all now; this round is lost, the rounds before it are in the file")
        self.end_now()

    def end_now(self) -> None:
        """Terminate the launcher, which ends remote ranks, then kill what is left on this machine. Does not wait."""
        self.process.terminate()
        self.after(TERMINATION_GRACE_S, lambda: kill_all(self.mark))

    def end_at_once(self) -> None:
        """End everything without a request before, where the round in progress is of no use."""
        self.stop_requests = 2
        self.end_now()

    def after(self, delay_s: float, action: Callable[[], object]) -> None:
        """Call `action` after `delay_s` seconds, unless the launch has ended by then."""
        self.alarms.append(clock.alarm(delay_s, action))

    def record_ranks(self) -> None:
        """Record the rank of each local process, since hydra reports only the id of a process that died."""
        self.rank_of |= {
            process.pid: process.rank for process in marked_processes(self.mark) if process.rank is not None
        }
