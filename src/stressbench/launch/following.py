"""Runs a user's command as a shell would: it shares the streams of this process, and signals are forwarded to it."""

import os
import signal
import subprocess
from dataclasses import dataclass

from stressbench.exit_status import exit_status_of
from stressbench.formats.errors import reason_of
from stressbench.launch.command import Command
from stressbench.launch.errors import LaunchMistake
from stressbench.stop_signals import FORWARDED_SIGNALS, handled_by, not_ignored

_FROM_KERNEL = 0x80  # si_code of signals from a terminal to all its foreground processes, including the command
_POLL_INTERVAL_S = 1.0


@dataclass(frozen=True, kw_only=True)
class CommandOutcome:
    """The exit status, 128 + N where signal N ended the command, and the number of stop requests."""

    status: int
    stop_requests: int


def run_forwarding_signals(command: Command) -> CommandOutcome:
    """Run the command to its end. Must be called from the main thread. Raises LaunchMistake where it cannot start.

    Ctrl-C reaches the command directly from the terminal. Signals sent only to this process are forwarded. In both
    cases this process continues, to gather the results.
    """
    signals = set(not_ignored(FORWARDED_SIGNALS))
    received_elsewhere: list[signal.Signals] = []
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*signals, signal.SIGCHLD})
    try:
        with handled_by(lambda number, _: received_elsewhere.append(signal.Signals(number)), signals):
            process = subprocess.Popen(
                command.argv,
                env={**os.environ, **dict(command.environment)},
                preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, old_mask) and None,
            )
            return _wait(process, signals, received_elsewhere)
    except OSError as fault:
        raise LaunchMistake(f"{command.argv[0]}: {reason_of(fault)}") from fault
    finally:
        while signal.sigtimedwait(signals, 0) is not None:  # discards signals that came after the end
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)


def _wait(
    process: subprocess.Popen[bytes], signals: set[signal.Signals], received_elsewhere: list[signal.Signals]
) -> CommandOutcome:
    """Forward signals until the process ends. `received_elsewhere`: those that other threads of this process get.

    Whether a SIGINT among the latter came from a terminal is unknown. It is not forwarded: the command would take two
    for a demand to end at once.
    """
    requests = 0
    while process.poll() is None:
        signal_info = signal.sigtimedwait({*signals, signal.SIGCHLD}, _POLL_INTERVAL_S)
        while received_elsewhere:
            number = received_elsewhere.pop(0)
            requests += 1
            if number != signal.SIGINT:
                process.send_signal(number)
        if signal_info is None or signal_info.si_signo == signal.SIGCHLD:
            continue
        requests += 1
        if signal_info.si_code != _FROM_KERNEL:
            process.send_signal(signal_info.si_signo)
    return CommandOutcome(status=exit_status_of(process.returncode), stop_requests=requests)
