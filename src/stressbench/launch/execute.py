"""Starts launchers and ends them with all their ranks.

The launcher runs in its own session, so that Ctrl-C reaches only this process.
"""

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

from stressbench.console import warning
from stressbench.exit_status import exit_status_of
from stressbench.launch import clock
from stressbench.launch.command import Command
from stressbench.launch.output_pipe import OutputPipe
from stressbench.launch.passthrough import Passthrough
from stressbench.launch.processes import LaunchMark, kill_all
from stressbench.launch.stopping import TERMINATION_GRACE_S, Launch, StopPolicy
from stressbench.stop_signals import held_signals

_SIGNAL_POLL_INTERVAL_S = 0.2
_RANK_SCAN_TIMES_S = (2.0, 15.0)
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a launch ended.

    `status`: exit status of the launcher, 128 + N where signal N ended it. `stop_requests`: number of stop requests, by
    signals or by a time limit. `output` and `errors`: the last text of its streams. `rank_of`: pairs of process id and
    rank for local ranks that lived long enough. `hung_in_finalize`: ranks were killed after their work was done.
    `began_s` and `ended_s`: start and end of the launcher by the clock of launches. `killed_processes`: number of
    processes on this machine that outlived the launcher and were killed.
    """

    status: int
    stop_requests: int
    output: str
    errors: str
    rank_of: tuple[tuple[int, int], ...]
    hung_in_finalize: bool = False
    began_s: float = 0.0
    ended_s: float = 0.0
    killed_processes: int = 0

    @property
    def was_asked_to_stop(self) -> bool:
        """Whether the launch was stopped by a signal or a time limit, and not because its work was done."""
        return self.stop_requests > 0 and not self.hung_in_finalize


def execute(
    command: Command,
    *,
    stop_policy: StopPolicy | None = None,
    has_started: Callable[[], bool] = lambda: True,
    has_finished: Callable[[], bool] = lambda: False,
    log: Callable[[str], None] | None = None,
    output_to: int = 1,
) -> Outcome:
    """Run the command: pass its output through as it comes, forward stop requests, and leave no process behind.

    Must be called from the main thread. `output_to`: descriptor that receives its standard output. `has_started`:
    whether ranks handle stop requests. `has_finished`: whether the work is done, so that remaining processes only hang.
    `log` receives a sentence when the engine is asked to stop (default: stderr). Raises OSError where the program
    cannot be started.
    """
    with held_signals() as signals:
        launch = start_launch(
            command, stop_policy=stop_policy, has_started=has_started, has_finished=has_finished, log=log
        )  # fmt: skip
        signals.pass_to(launch.on_signal)
        return wait_for_launch(launch, output_to=output_to)


def start_launch(
    command: Command,
    *,
    stop_policy: StopPolicy | None = None,
    has_started: Callable[[], bool] = lambda: True,
    has_finished: Callable[[], bool] = lambda: False,
    log: Callable[[str], None] | None = None,
) -> Launch:
    """Start the command; `wait_for_launch` must follow.

    Must be called from the main thread, since the command ends with that thread.
    """
    mark = LaunchMark()
    output_pipe = None if command.output_pipe is None else OutputPipe(command.output_pipe)
    began_s = clock.now_s()
    try:
        process = subprocess.Popen(
            command.argv,
            env={**os.environ, **dict(command.environment), **mark.environment()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            preexec_fn=end_with_parent if sys.platform == "linux" else None,
        )
    except OSError:
        if output_pipe is not None:
            output_pipe.close()
        raise
    return Launch(
        process=process, mark=mark, log=log or warning, stop_policy=stop_policy or StopPolicy(),
        has_started=has_started, has_finished=has_finished, output_pipe=output_pipe, began_s=began_s,
    )  # fmt: skip


def wait_for_launch(launch: Launch, *, output_to: int = 1, errors_to: int = 2) -> Outcome:
    """Wait for the end of a launch and kill what remains. Its streams go to the descriptors."""
    process = launch.process
    assert process.stdout is not None and process.stderr is not None
    outputs = [Passthrough(source=process.stdout.fileno(), sink=output_to)]
    if launch.output_pipe is not None:
        outputs.append(Passthrough(source=launch.output_pipe.reader, sink=output_to))
    errors = Passthrough(source=process.stderr.fileno(), sink=errors_to)
    for delay_s in _RANK_SCAN_TIMES_S:
        launch.after(delay_s, launch.record_ranks)
    launch.start_time_limit()
    launch.watch_for_hanging_ranks()
    killed_processes = 0
    try:
        status, ended_s = _wait(process)
    finally:
        for alarm in launch.alarms:
            alarm.cancel()
        killed_processes = _clean_up(launch, *outputs, errors)
    return Outcome(
        status=exit_status_of(status),
        stop_requests=launch.stop_requests,
        hung_in_finalize=launch.hung_in_finalize,
        output="".join(stream.tail() for stream in outputs),
        errors=errors.tail(),
        rank_of=tuple(sorted(launch.rank_of.items())),
        began_s=launch.began_s,
        ended_s=ended_s,
        killed_processes=killed_processes,
    )


def _wait(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """Wait for the process, and return its status and the time of its end.

    Another thread waits, since a signal that comes just before waitpid() does not interrupt it, and the handler, which
    runs only in the main thread, would be delayed until the process ends.
    """
    results: list[tuple[int, float]] = []
    waiter = threading.Thread(target=lambda: results.append((process.wait(), clock.now_s())), daemon=True)
    waiter.start()
    while waiter.is_alive():
        waiter.join(_SIGNAL_POLL_INTERVAL_S)
    return results[0]


def _clean_up(launch: Launch, *streams: Passthrough) -> int:
    """Kill ranks that outlived their launcher, and count them. Such ranks may also keep the streams open."""
    if launch.output_pipe is not None:
        launch.output_pipe.end_of_ranks()
    for stream in streams:
        stream.join(timeout_s=1.0)
    killed_processes = kill_all(launch.mark)
    for stream in streams:
        stream.join(timeout_s=TERMINATION_GRACE_S)
    if launch.process.poll() is None:
        launch.process.wait()
    for pipe in (launch.process.stdout, launch.process.stderr):
        if pipe is not None:
            pipe.close()
    if launch.output_pipe is not None:
        launch.output_pipe.close()
    return killed_processes


_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def end_with_parent() -> None:
    """In a child process: have the kernel send SIGTERM when the parent dies, so that ranks never run on alone."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
