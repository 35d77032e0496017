"""Stop signals: handlers are restored, and signals that other threads receive are deferred and forwarded, too."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pytest

from stressbench.launch.command import Command
from stressbench.launch.execute import execute
from stressbench.launch.following import run_forwarding_signals
from stressbench.launch.paired_launch import PairedLaunch, run_with_background
from stressbench.launch.stopping import StopPolicy
from stressbench.stop_signals import STOP_SIGNALS, deferred, handled_by

Receive: TypeAlias = Callable[[signal.Signals], None]


@pytest.fixture
def receive_elsewhere() -> Iterator[Receive]:
    """Another thread, which is older than the masks that a test sets in the main thread, receives a signal."""
    with ThreadPoolExecutor(max_workers=1) as threads:
        threads.submit(bool).result()
        yield lambda number: threads.submit(signal.raise_signal, number).result()


@pytest.fixture
def heard() -> Iterator[list[int]]:
    """The signals that a handler for all stop signals is called with, while the test runs."""
    received: list[int] = []
    previous = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    for number in STOP_SIGNALS:
        signal.signal(number, lambda number, _: received.append(number))
    yield received
    for number, handler in previous.items():
        signal.signal(number, handler)


def test_handlers_are_restored_and_ignored_signals_stay_ignored(heard: list[int]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    found = [signal.getsignal(number) for number in STOP_SIGNALS]
    inner: list[int] = []

    with handled_by(lambda number, _: inner.append(number)):
        inside = signal.getsignal(signal.SIGHUP)
        signal.raise_signal(signal.SIGUSR1)

    assert (inner, heard) == ([signal.SIGUSR1], [])
    assert inside is signal.SIG_IGN
    assert [signal.getsignal(number) for number in STOP_SIGNALS] == found


@pytest.mark.parametrize("thread", ["main", "another"])
def test_deferred_signals_are_handled_at_the_end_whichever_thread_receives_them(
    heard: list[int], receive_elsewhere: Receive, thread: str
) -> None:
    receive = signal.raise_signal if thread == "main" else receive_elsewhere
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    with deferred() as mask:
        receive(signal.SIGUSR1)
        inside = list(heard)

    assert (inside, heard) == ([], [signal.SIGUSR1])
    assert mask == before == signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_deferred_signals_are_handled_after_an_error(heard: list[int]) -> None:
    with pytest.raises(OSError, match="no program"), deferred():
        signal.raise_signal(signal.SIGTERM)
        raise OSError("no program")

    assert heard == [signal.SIGTERM]


class InterruptedPopen(subprocess.Popen[bytes]):
    """A process that a stop signal reaches while it is started: nobody knows yet how to end it."""

    def __init__(self, *words, **named) -> None:
        super().__init__(*words, **named)
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_that_arrives_while_a_launch_is_started_stops_it(
    heard: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", InterruptedPopen)

    outcome = execute(Command(argv=("sleep", "60")), log=lambda _: None)

    assert (outcome.stop_requests, outcome.status) == (1, 128 + signal.SIGUSR1)
    assert heard == []


def test_a_signal_that_arrives_while_a_background_launch_is_started_stops_it(
    heard: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "Popen", InterruptedPopen)
    both = [PairedLaunch(command=Command(argv=("sleep", "60")), stop_policy=StopPolicy()) for _ in range(2)]

    outcome = run_with_background(*both, ready=lambda: False, ready_timeout_s=60, log=lambda _: None)

    assert (outcome.program, outcome.interrupted) == (None, True)
    assert outcome.background.status == 128 + signal.SIGUSR1
    assert heard == []


def test_a_signal_for_a_launch_that_cannot_be_started_is_handled_as_before(
    heard: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_words: object, **_named: object) -> None:
        signal.raise_signal(signal.SIGTERM)
        raise OSError("no program")

    monkeypatch.setattr(subprocess, "Popen", start)

    with pytest.raises(OSError, match="no program"):
        execute(Command(argv=("sleep", "60")))

    assert heard == [signal.SIGTERM]


def test_the_suite_of_applications_ends_a_launch_that_ctrl_c_reaches_while_it_starts(
    benchmark: Callable[[str], ModuleType], heard: list[int], receive_elsewhere: Receive, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    signal.signal(signal.SIGINT, signal.default_int_handler)  # `heard` restores it
    applications = benchmark("applications")
    started: list[subprocess.Popen[str]] = []

    class Interrupted(subprocess.Popen[str]):
        def __init__(self, *words, **named) -> None:
            super().__init__(*words, **named)
            started.append(self)
            receive_elsewhere(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)

    with pytest.raises(KeyboardInterrupt):
        applications.run(["sleep", "60"], str(tmp_path), accepted=(0,))

    assert [child.returncode for child in started] == [-signal.SIGTERM]


WAITS = """\
import pathlib, signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(8))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
pathlib.Path(sys.argv[1]).touch()
signal.pause()
"""


def test_a_signal_that_another_thread_receives_is_forwarded_to_the_command_and_ctrl_c_is_not(
    heard: list[int], tmp_path: Path
) -> None:
    ready = tmp_path / "ready"

    def stop() -> None:
        while not ready.exists() and not ended.wait(0.01):
            pass
        signal.raise_signal(signal.SIGINT)  # from a terminal, the command has one of its own
        signal.raise_signal(signal.SIGTERM)

    ended = threading.Event()
    thread = threading.Thread(target=stop)
    thread.start()
    try:
        outcome = run_forwarding_signals(Command(argv=(sys.executable, "-c", WAITS, str(ready)), environment=()))
    finally:
        ended.set()
        thread.join()

    assert (outcome.status, outcome.stop_requests, heard) == (7, 2, [])
