"""The one place that starts ranks, and the one that ends them.

The launcher runs in a session of its own, so that Ctrl-C reaches this process only.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from stressbench.launch.command import Command
from stressbench.launch.passthrough import Passthrough
from stressbench.launch.processes import Mark, kill_all
from stressbench.launch.stopping import LAST_WORDS_S, Launch, Patience

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)
_RANKS_SEEN_AT_S = (2.0, 15.0)
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a launch ended.

    `status` is that of the launcher, 128 + N where signal N ended it. `stop_requests` counts requests to stop, from
    outside or by the clock. `output` and `errors` are the last texts of its streams. `rank_of` pairs process ids of
    local ranks with ranks, where they lived long enough. `hung_at_the_end`: ranks were killed when their work was done.
    """

    status: int
    stop_requests: int
    output: str
    errors: str
    rank_of: tuple[tuple[int, int], ...]
    hung_at_the_end: bool = False


def execute(
    command: Command,
    *,
    patience: Patience | None = None,
    finished: Callable[[], bool] = lambda: False,
    say: Callable[[str], None] | None = None,
) -> Outcome:
    """Start the command, pass its output through as it comes, hand on requests to stop, and leave no process behind.

    To be called from the main thread. `finished` tells whether the work is done, so that what still runs only hangs.
    `say` gets a sentence when something is asked of the engine (default: stderr).
    Raises OSError where the program cannot be started.
    """
    mark = Mark()
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
    launch = Launch(
        process=process, mark=mark, say=say or _say_on_stderr, patience=patience or Patience(), finished=finished
    )
    with _stopping(launch):
        return _attend(launch)


def _attend(launch: Launch) -> Outcome:
    """Wait for the end, whatever happens, and sweep up behind it."""
    process = launch.process
    assert process.stdout is not None and process.stderr is not None
    output = Passthrough(source=process.stdout.fileno(), sink=1)
    errors = Passthrough(source=process.stderr.fileno(), sink=2)
    for delay_s in _RANKS_SEEN_AT_S:
        launch.after(delay_s, launch.note_ranks)
    launch.watch_the_clock()
    launch.watch_for_the_end()
    try:
        status = process.wait()
    finally:
        for alarm in launch.alarms:
            alarm.cancel()
        _sweep(launch, output, errors)
    return Outcome(
        status=128 - status if status < 0 else status,  # Popen says -N for signal N
        stop_requests=launch.stop_requests,
        hung_at_the_end=launch.hung_at_the_end,
        output=output.tail(),
        errors=errors.tail(),
        rank_of=tuple(sorted(launch.rank_of.items())),
    )


def _sweep(launch: Launch, *streams: Passthrough) -> None:
    """Kill ranks that outlived their launcher; they may also hold the streams open."""
    for stream in streams:
        stream.join(timeout_s=1.0)
    kill_all(launch.mark)
    for stream in streams:
        stream.join(timeout_s=LAST_WORDS_S)
    if launch.process.poll() is None:
        launch.process.wait()
    for pipe in (launch.process.stdout, launch.process.stderr):
        if pipe is not None:
            pipe.close()


@contextmanager
def _stopping(launch: Launch) -> Iterator[None]:
    """Turn signals into requests to the launch while it lives."""
    heard = [number for number in _STOP_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]  # nohup stays nohup
    before = {number: signal.signal(number, launch.on_signal) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def end_with_parent() -> None:
    """In a child: get SIGTERM when its parent dies without a word, so that ranks never run on alone."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _say_on_stderr(sentence: str) -> None:
    print(f"stressbench: {sentence}", file=sys.stderr, flush=True)
