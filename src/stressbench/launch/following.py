"""Runs a user's command as a shell would: it shares the streams of this process, and signals are forwarded to it."""

import os
import signal
import subprocess
from dataclasses import dataclass

from stressbench.formats.errors import reason_of
from stressbench.launch.command import Command
from stressbench.launch.errors import LaunchMistake
from stressbench.stop_signals import FORWARDED_SIGNALS, not_ignored

_FROM_KERNEL = 0x80  # si_code of signals from a terminal to all its foreground processes, including the command
_LOOK_EVERY_S = 1.0


@dataclass(frozen=True, kw_only=True)
class Followed:
    """The exit status, 128 + N where signal N ended the command, and the number of stop requests."""

    status: int
    stop_requests: int


def follow(command: Command) -> Followed:
    """Run the command to its end. Must be called from the main thread. Raises LaunchMistake where it cannot start.

    Ctrl-C reaches the command directly from the terminal. Signals sent only to this process are forwarded. In both
    cases this process continues, to gather the results.
    """
    heard = set(not_ignored(FORWARDED_SIGNALS))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*heard, signal.SIGCHLD})
    try:
        process = subprocess.Popen(
            command.argv,
            env={**os.environ, **dict(command.environment)},
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, before) and None,
        )
        return _attend(process, heard)
    except OSError as fault:
        raise LaunchMistake(f"{command.argv[0]}: {reason_of(fault)}") from fault
    finally:
        while signal.sigtimedwait(heard, 0) is not None:  # discards signals that came after the end
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _attend(process: subprocess.Popen[bytes], heard: set[signal.Signals]) -> Followed:
    requests = 0
    while process.poll() is None:
        came = signal.sigtimedwait({*heard, signal.SIGCHLD}, _LOOK_EVERY_S)
        if came is None or came.si_signo == signal.SIGCHLD:
            continue
        requests += 1
        if came.si_code != _FROM_KERNEL:
            process.send_signal(came.si_signo)
    status = process.returncode
    return Followed(status=128 - status if status < 0 else status, stop_requests=requests)
