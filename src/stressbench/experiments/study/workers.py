"""Several launches at once, each in its own process, since a launch handles signals, which only a main thread can."""

import multiprocessing
import os
import signal
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.running import Executor, LaunchResult, ScheduledRun
from stressbench.launch.execute import end_with_parent
from stressbench.stop_signals import STOP_SIGNALS, deferred, reset_handlers


class WorkerPool:
    """Executes at most `jobs` launches at once. `hand_on` forwards stop signals to all of them."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._running: dict[Connection, tuple[BaseProcess, ScheduledRun]] = {}

    def map(self, runs: Iterator[ScheduledRun], execute: Executor) -> Iterator[tuple[ScheduledRun, LaunchResult]]:
        """As `Pool.map`."""
        more = True
        while True:
            while more and len(self._running) < self._jobs:
                scheduled = next(runs, None)
                more = scheduled is not None
                if scheduled is not None:
                    self._start(scheduled, execute)
            if not self._running:
                return
            ready = wait(list(self._running))
            for connection in [found for found in self._running if found in ready]:
                process, scheduled = self._running.pop(connection)
                yield scheduled, _receive_result(connection, process)

    def _start(self, scheduled: ScheduledRun, execute: Executor) -> None:
        context = multiprocessing.get_context("fork")
        receiver, sender = context.Pipe(duplex=False)
        with deferred() as mask:  # until the child has reset its handlers, and until `forward_signal` knows it here
            process = context.Process(target=_work, args=(scheduled, execute, sender, mask))
            process.start()
            self._running[receiver] = (process, scheduled)
        sender.close()

    def forward_signal(self, number: int) -> None:
        """Send a signal to every launch. They are in this process's group, but `kill` reaches only one process."""
        for process, _ in self._running.values():
            if process.pid is not None and process.is_alive():
                os.kill(process.pid, number)


def _work(scheduled: ScheduledRun, execute: Executor, connection: Connection, mask: Iterable[int]) -> None:
    """Execute a launch in a child process that was forked while stop signals were blocked; `mask` is that before."""
    reset_handlers()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    end_with_parent()
    connection.send(execute(scheduled))
    connection.close()


def _receive_result(connection: Connection, process: BaseProcess) -> LaunchResult:
    try:
        result: LaunchResult = connection.recv()
    except EOFError:
        process.join()
        stopped = process.exitcode is not None and -process.exitcode in STOP_SIGNALS  # before it handled signals
        result = LaunchResult(
            status=ExitStatus.interrupted if stopped else ExitStatus.fault,
            reason=f"the process that started it ended with status {process.exitcode}",
        )
    process.join()
    connection.close()
    return result
