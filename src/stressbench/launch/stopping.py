"""Stopping a launch: a request, a final request, and killing its ranks.

The first request is sent as SIGUSR1, which Open MPI, hydra and srun forward to every rank on every host. The engine
then finishes its round and writes its end record. (SIGINT and SIGTERM are unsuitable: Open MPI kills its ranks one
second later.) The second request ends everything, and so does the first if ranks still run after the grace period,
since they may hang. A time limit is left to the engine until its grace period is over, too. SIGUSR1 from outside is
only a request without a grace period, since batch systems send it ahead of the actual signal.

SIGUSR1 kills a rank that does not handle it yet, and `mpirun` of Open MPI 4.1 may deadlock when it loses a rank during
its start. So the request is held back until the launch has `begun`, but only for a few seconds.
"""

import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

from stressbench.launch import clock
from stressbench.launch.processes import Mark, kill_all, marked

LAST_WORDS_S = 3.0
_PATIENT = signal.SIGUSR1
_LOOK_EVERY_S = 5.0
_END_MAY_TAKE_S = 15.0
_BEGINNING_MAY_TAKE_S = 5.0
_BEGUN_SEEN_EVERY_S = 0.1
_SAME_REQUEST_S = 0.5  # `timeout` sends its signal to the process and to its group


@dataclass(frozen=True, kw_only=True)
class StopPolicy:
    """How long ranks may continue after a stop request, and their time limit (None: no limit), in seconds."""

    grace_s: float = 60.0
    limit_s: float | None = None


@dataclass(kw_only=True)
class Launch:
    """A running launcher, and the stop requests that it has received."""

    process: subprocess.Popen[bytes]
    mark: Mark
    log: Callable[[str], None]
    stop_policy: StopPolicy
    finished: Callable[[], bool]
    begun: Callable[[], bool] = lambda: True
    began_s: float = 0.0
    stop_requests: int = 0
    hung_at_the_end: bool = False
    rank_of: dict[int, int] = field(default_factory=dict)
    alarms: list[clock.Alarm] = field(default_factory=list)
    counted: tuple[int, float] = (0, 0.0)

    def on_signal(self, number: int, _: FrameType | None) -> None:
        """Handle a stop signal. The same signal twice within half a second counts once."""
        now = clock.now_s()
        if number == self.counted[0] and now - self.counted[1] <= _SAME_REQUEST_S:
            return
        self.counted = (number, now)
        self.asked(signal.Signals(number).name, patient=number == _PATIENT)

    def asked(self, name: str, *, patient: bool) -> None:
        """The first request asks ranks to end, the second ends the launcher, the third kills all processes."""
        self.stop_requests += 1
        if self.stop_requests == 1:
            within = "" if patient else f" within {self.stop_policy.grace_s:g} s"
            self.log(f"{name}: the engine finishes the current round{within} and ends the file; once more ends all now")
            self.ask(until_s=clock.now_s() + _BEGINNING_MAY_TAKE_S)
            if not patient:
                self.after(self.stop_policy.grace_s, self.out_of_patience)
        elif self.stop_requests == 2:
            self.log(f"{name} again: ending all now; this round is lost, the rounds before it are in the file")
            self.end_now()
        else:
            kill_all(self.mark)

    def ask(self, *, until_s: float) -> None:
        """Send SIGUSR1 as soon as ranks handle it, at the latest at `until_s` of the clock."""
        if self.stop_requests > 1:
            return
        if self.begun() or clock.now_s() >= until_s:
            self.process.send_signal(signal.SIGUSR1)
        else:
            self.after(_BEGUN_SEEN_EVERY_S, lambda: self.ask(until_s=until_s))

    def out_of_patience(self) -> None:
        """End everything: ranks hang, or their round takes too long."""
        if self.stop_requests == 1:
            self.insist(f"{self.stop_policy.grace_s:g} s after they were asked to end")

    def watch_the_clock(self) -> None:
        """End everything when the grace period after the time limit is over."""
        limit_s, grace_s = self.stop_policy.limit_s, self.stop_policy.grace_s
        if limit_s is not None:
            self.after(limit_s + grace_s, lambda: self.insist(f"{grace_s:g} s after their time limit"))

    def watch_for_the_end(self, *, seen: bool = False) -> None:
        """End ranks that have completed the run but hang in MPI_Finalize, as those of MPICH over UCX before 4.2 may."""
        if seen:
            self.hung_at_the_end = True
            self.log(f"the run is complete, but ranks do not end within {_END_MAY_TAKE_S:g} s: ending them")
            self.end_now()
        else:
            seen = self.finished()
            self.after(_END_MAY_TAKE_S if seen else _LOOK_EVERY_S, lambda: self.watch_for_the_end(seen=seen))

    def insist(self, since: str) -> None:
        """End everything without a second request."""
        self.stop_requests += 1
        self.log(f"ranks still run {since}: ending all now; this round is lost, the rounds before it are in the file")
        self.end_now()

    def end_now(self) -> None:
        """Terminate the launcher, which ends remote ranks, then kill what is left on this machine. Does not wait."""
        self.process.terminate()
        self.after(LAST_WORDS_S, lambda: kill_all(self.mark))

    def after(self, delay_s: float, action: Callable[[], object]) -> None:
        """Call `action` after `delay_s` seconds, unless the launch has ended by then."""
        self.alarms.append(clock.alarm(delay_s, action))

    def note_ranks(self) -> None:
        """Record the rank of each local process, since hydra reports only the id of a process that died."""
        self.rank_of |= {process.pid: process.rank for process in marked(self.mark) if process.rank is not None}
