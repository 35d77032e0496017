"""Somebody's own command, run as if from the shell: its streams and its status are ours, signals go on to it."""

import os
import signal
import subprocess
from dataclasses import dataclass

from stressbench.formats.errors import reason_of
from stressbench.launch.command import Command
from stressbench.launch.errors import LaunchMistake
from stressbench.stop_signals import FORWARDED_SIGNALS, not_ignored

_FROM_KERNEL = 0x80  # si_code of what a terminal sends to all processes in its foreground, the command among them
_POLL_INTERVAL_S = 1.0


@dataclass(frozen=True, kw_only=True)
class CommandOutcome:
    """The exit status, 128 + N where signal N ended the command, and how often it was asked to stop."""

    status: int
    stop_requests: int


def run_forwarding_signals(command: Command) -> CommandOutcome:
    """Run the command to its end. LaunchMistake where it cannot be started. To be called from the main thread.

    Ctrl-C reaches the command from the terminal as it would without us; what is sent to this process alone is handed
    on. In both cases we stay, to gather what was collected.
    """
    signals = set(not_ignored(FORWARDED_SIGNALS))
    old_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*signals, signal.SIGCHLD})
    try:
        process = subprocess.Popen(
            command.argv,
            env={**os.environ, **dict(command.environment)},
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, old_mask) and None,
        )
        return _wait(process, signals)
    except OSError as fault:
        raise LaunchMistake(f"{command.argv[0]}: {reason_of(fault)}") from fault
    finally:
        while signal.sigtimedwait(signals, 0) is not None:  # came too late: the command is through
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, old_mask)


def _wait(process: subprocess.Popen[bytes], signals: set[signal.Signals]) -> CommandOutcome:
    requests = 0
    while process.poll() is None:
        signal_info = signal.sigtimedwait({*signals, signal.SIGCHLD}, _POLL_INTERVAL_S)
        if signal_info is None or signal_info.si_signo == signal.SIGCHLD:
            continue
        requests += 1
        if signal_info.si_code != _FROM_KERNEL:
            process.send_signal(signal_info.si_signo)
    status = process.returncode
    return CommandOutcome(status=128 - status if status < 0 else status, stop_requests=requests)
