"""A command on a node of a lab: `python -m stressbench.lab.enter LAB_FOLDER NODE COMMAND...`.

It starts in a tenth of a second, hands on signals that somebody sends to it, and ends as the command ends. The command
is a process of the lab: it ends with it.
"""

import json
import os
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from stressbench.lab import system
from stressbench.lab.joining import EVERYTHING, chdir_or_root, join

_CANNOT_ENTER, _NOT_FOUND, _NOT_EXECUTABLE, _BY_SIGNAL = 125, 127, 126, 128
_HANDED_ON = frozenset(
    {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH}
)
_WAITED_FOR = _HANDED_ON | {signal.SIGCHLD}


def main() -> int:
    """Enter, start, wait."""
    folder, node, *command = sys.argv[1:]
    state = json.loads(Path(folder, "state.json").read_bytes())
    holder = state["nodes"].get(node)
    if holder is None:
        return _complain(f"lab {state['name']} has no '{node}'")
    os.environ.update(state["environment"])
    here, before = str(Path.cwd()), signal.pthread_sigmask(signal.SIG_BLOCK, _WAITED_FOR)
    try:
        join(holder["pid"], EVERYTHING)
    except OSError as fault:
        return _complain(f"lab {state['name']}, {node}: cannot be entered: {fault.strerror}")
    chdir_or_root(here)
    pid = system.forked(lambda: _become(command, before, state.get("cores", {}).get(node)))
    return _attend(pid)


def _become(command: Sequence[str], mask: Iterable[int], cores: Sequence[int] | None) -> int:
    system.end_with_parent(signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    if cores:
        os.sched_setaffinity(0, cores)
    try:
        os.execvp(command[0], list(command))
    except FileNotFoundError:
        _complain(f"{command[0]}: not found")
        return _NOT_FOUND
    except OSError as fault:
        _complain(f"{command[0]}: {fault.strerror}")
        return _NOT_EXECUTABLE


def _attend(pid: int) -> int:
    """Wait for the command. What a terminal sends, it sends to the command as well; the rest is handed on."""
    while True:
        found = signal.sigwaitinfo(_WAITED_FOR)
        if found.si_signo != signal.SIGCHLD:
            if found.si_code <= 0:
                os.kill(pid, found.si_signo)
            continue
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else _BY_SIGNAL - code


def _complain(sentence: str) -> int:
    print(f"stressbench: {sentence}", file=sys.stderr, flush=True)
    return _CANNOT_ENTER


if __name__ == "__main__":
    sys.exit(main())
