"""Run a command on a node of a lab: `python -m stressbench.labs.enter [--awake] LAB_FOLDER NODE COMMAND...`.

The program starts in 0.1 s, forwards signals to the command, and exits with the command's status. The command is a
process of the lab and ends with the lab. With --awake, idle cores do not halt while it runs, where this is permitted.
"""

import json
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.console import error
from stressbench.exit_status import exit_status_of
from stressbench.formats.files import NotPrivate, PrivateDirectory, limits
from stressbench.labs import privileges, system
from stressbench.labs.idle_states import AWAKE, keep_cores_awake
from stressbench.labs.namespaces import ALL_NAMESPACES, chdir_or_root, enter_namespaces
from stressbench.labs.process import Process
from stressbench.labs.variables import STATE, environment
from stressbench.stop_signals import TERMINAL_SIGNALS

_CANNOT_ENTER, _NOT_FOUND, _NOT_EXECUTABLE = 125, 127, 126
_AWAITED_SIGNALS = frozenset({*TERMINAL_SIGNALS, signal.SIGCHLD})


def main() -> int:
    """Enter the node's namespaces, run the command, and return its exit status."""
    is_awake = sys.argv[1] == AWAKE
    folder, node, *command = sys.argv[1 + is_awake :]
    lab = Path(folder).name
    try:
        entry = _entry(Path(folder), node)
    except (NotPrivate, OSError) as fault:
        return _report_error(f"lab {lab}: {fault}")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return _report_error(f"lab {lab}: {Path(folder, STATE)} cannot be read; `stressbench lab down {lab}` clears it")
    if entry is None:
        return _report_error(f"lab {lab} has no '{node}'")
    if not entry.holder.is_alive:
        return _report_error(f"lab {lab}, {node}: its process {entry.holder.pid} has ended; is the lab still up?")
    os.environ.update(environment(lab, rails=entry.rails, scratch=entry.scratch))
    if is_awake:
        keep_cores_awake()
    working_directory, signal_mask = str(Path.cwd()), signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED_SIGNALS)
    try:
        enter_namespaces(entry.holder.pid, ALL_NAMESPACES)
    except OSError as fault:
        return _report_error(f"lab {lab}, {node}: cannot be entered: {fault.strerror}")
    chdir_or_root(working_directory)
    pid = system.fork_child(lambda: _execute(command, signal_mask, entry.cores))
    return _wait_forwarding_signals(pid)


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """The part of state.json that is needed to enter a node."""

    holder: Process
    rails: int
    scratch: str | None
    cores: tuple[int, ...]


def _entry(folder: Path, node: str) -> _Entry | None:
    """Read a node's entry from state.json; None if there is no such node.

    Avoids pydantic, because importing it takes longer than everything else in this program.
    """
    directory = PrivateDirectory(anchor=folder.parent, parts=(folder.name,))
    state = json.loads(directory.read(STATE, limit=limits.STATE))
    holder = state["nodes"].get(node)
    if holder is None:
        return None
    scratch = state.get("scratch")
    return _Entry(
        holder=Process(pid=int(holder["pid"]), started=int(holder["started"])), rails=int(state["rails"]),
        scratch=None if scratch is None else str(scratch),
        cores=tuple(map(int, state.get("cores", {}).get(node, ()))),
    )  # fmt: skip


def _execute(command: Sequence[str], mask: Iterable[int], cores: Sequence[int]) -> int:
    system.set_parent_death_signal(signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        if cores:
            os.sched_setaffinity(0, cores)
        privileges.drop_unneeded_capabilities()
    except OSError as fault:
        _report_error(str(fault.strerror))
        return _CANNOT_ENTER
    try:
        os.execvp(command[0], list(command))
    except FileNotFoundError:
        _report_error(f"{command[0]}: not found")
        return _NOT_FOUND
    except OSError as fault:
        _report_error(f"{command[0]}: {fault.strerror}")
        return _NOT_EXECUTABLE


def _wait_forwarding_signals(pid: int) -> int:
    """Wait for the command, forwarding signals to it, and return its exit status.

    Signals sent by the kernel are not forwarded: a terminal's signals reach the command directly.
    """
    while True:
        signal_info = signal.sigwaitinfo(_AWAITED_SIGNALS)
        if signal_info.si_signo != signal.SIGCHLD:
            if signal_info.si_code <= 0:
                os.kill(pid, signal_info.si_signo)
            continue
        ended_pid, status = os.waitpid(pid, os.WNOHANG)
        if ended_pid:
            return exit_status_of(os.waitstatus_to_exitcode(status))


def _report_error(sentence: str) -> int:
    error(sentence)
    return _CANNOT_ENTER


if __name__ == "__main__":
    sys.exit(main())
