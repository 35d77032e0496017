"""The page of a study or a run: served by this process, or by one of low priority beside the launch of a run."""

import multiprocessing
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.watching.latest import Latest
from stressbench.experiments.watching.page_server import LOOPBACK, PageServer
from stressbench.experiments.watching.run import RunWatcher
from stressbench.experiments.watching.watcher import Watcher
from stressbench.formats.errors import reason_of
from stressbench.launch.option_values import seconds
from stressbench.report.live_page import content_security_policy
from stressbench.stop_signals import STOP_SIGNALS, deferred

DEFAULT_INTERVAL_S = 5.0
LEAST_INTERVAL_S, MOST_INTERVAL_S = 0.5, 3600.0
LOWEST_PRIORITY = 19
_POLL_INTERVAL_S = 0.5
_LINGER_INTERVALS = 1.5
_END_TIMEOUT_S = 5.0
_END_POLL_S = 0.1


def interval_of(text: str) -> float:
    """The seconds of the interval between two looks, such as `5s`. Raises UserError."""
    found_s = seconds(text, option="--interval")
    if not LEAST_INTERVAL_S <= found_s <= MOST_INTERVAL_S:
        raise UserError(f"--interval: '{text}': expected {LEAST_INTERVAL_S:g} s to {MOST_INTERVAL_S / 3600:g} h")
    return found_s


def page_server(watcher: Watcher, *, interval_s: float, port: int, option: str = "--port") -> tuple[PageServer, Latest]:
    """A server of the page on this port, 0 for any free one, and the state that it shows.

    Raises UserError, which names `option`, if the port cannot be used.
    """
    latest = Latest(watcher, interval_s=interval_s)
    try:
        return PageServer(latest.contents(), policy=content_security_policy(), port=port), latest
    except OSError as fault:
        raise UserError(f"{option}: {port}: {reason_of(fault)}; name another one, or 0 for any free one") from fault


def serve_page(server: PageServer) -> None:
    """Answer requests until the server is shut down, or an exception such as KeyboardInterrupt."""
    lower_priority()
    with server:
        server.serve_forever(poll_interval=_POLL_INTERVAL_S)


def tunnel_command(server: PageServer) -> str:
    """The command that makes the page available on another machine."""
    return f"ssh -L {server.port}:{LOOPBACK}:{server.port} {socket.gethostname()}"


def lower_priority() -> None:
    """Give this thread, and those that it starts, the lowest priority: ranks may need all cores."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, 0, LOWEST_PRIORITY)


@contextmanager
def page_beside_run(
    run_file: Path, *, on: str, interval_s: float, port: int, announce: Callable[[PageServer], None]
) -> Iterator[None]:
    """Context in which a process of low priority serves the page of a run that is launched in it.

    `announce` is called once the page can be opened, before the launch. At the end, if the page is open, it stays until
    it has shown the final state, for up to one and a half intervals. Must be entered in the main thread, without other
    threads. Raises UserError if the port cannot be used.
    """
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    is_alive = threading.Event()
    is_alive.set()
    watcher = RunWatcher(run_file, on=on, is_alive=is_alive.is_set)
    server, latest = page_server(watcher, interval_s=interval_s, port=port, option="--watch-port")
    latest.watched()  # what it needs is imported before ranks start
    with deferred() as mask:
        process = context.Process(
            target=_serve_beside, args=(server, latest, is_alive, receiver, sender, interval_s, mask), daemon=True
        )
        process.start()
    try:
        server.server_close()
        receiver.close()
        announce(server)
        yield
    finally:
        with suppress(OSError):
            sender.send(None)
        sender.close()
        _end(process, within_s=_LINGER_INTERVALS * interval_s + _END_TIMEOUT_S)


def _end(process: BaseProcess, *, within_s: float) -> None:
    try:
        process.join(within_s)
    finally:  # also after Ctrl-C
        if process.is_alive():
            process.kill()
        process.join()


def _serve_beside(
    server: PageServer, latest: Latest, is_alive: threading.Event, end: Connection, sender: Connection,
    interval_s: float, mask: Iterable[int],
) -> None:  # fmt: skip
    """Serve the page until the process of the run sends something or ends, whose end of the pipe is then closed."""
    sender.close()
    for number in STOP_SIGNALS:  # those of a terminal or a batch system reach the whole process group
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    lower_priority()
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=_POLL_INTERVAL_S), daemon=True)
    thread.start()
    try:
        end.recv()
    except EOFError:
        return
    is_alive.clear()
    began_s = time.monotonic()
    latest.watched(anew=True)
    linger_s = _LINGER_INTERVALS * interval_s
    if server.last_answer_s is None or began_s - server.last_answer_s > linger_s:
        return
    while time.monotonic() - began_s < linger_s and server.last_answer_s < began_s:
        time.sleep(_END_POLL_S)
    time.sleep(_END_POLL_S)  # the answer is on its way
