"""The daemons of a lab's file system, started by the lab supervisor in the namespaces of the nodes."""

import os
import signal
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from stressbench.formats.lab.paths import LAB_FOLDER
from stressbench.labs import system
from stressbench.labs.gluster import PORT
from stressbench.labs.namespaces import enter_namespaces
from stressbench.labs.priority import raise_priority
from stressbench.labs.storage import BRICK, Daemon, StoragePlan
from stressbench.labs.tools import find_tool

_NODE_NAMESPACES = ("net", "ipc", "uts", "mnt")
_TIMEOUT_S = 30.0
_POLL_INTERVAL_S = 0.01
_TCP_LISTEN = "0A"


class FileSystemFault(Exception):
    """The file system cannot be started; the message names the node and has the last error of its daemon."""


def start_file_system(storage: StoragePlan, nodes: Mapping[str, int]) -> frozenset[int]:
    """Start the file system on these nodes (process ids by node name) and return the process ids of its daemons.

    Clients start when all servers listen, because a refused client retries only after three seconds. Raises
    FileSystemFault if a daemon ends or is not ready within 30 s.
    """
    Path(BRICK).mkdir()
    Path(storage.path).mkdir()
    mount_options = f"mode=1777,size={storage.capacity_bytes}"
    servers = {
        _start(one, nodes, lambda: system.mount("tmpfs", BRICK, "tmpfs", mount_options)): one for one in storage.servers
    }
    _await(servers, lambda server: _listens(nodes[server.node]))
    clients = {_start(one, nodes, lambda: None): one for one in storage.clients}
    _await(clients, lambda client: _is_mounted(nodes[client.node], storage.path))
    return frozenset((*servers, *clients))


def _start(daemon: Daemon, nodes: Mapping[str, int], prepare: Callable[[], None]) -> int:
    program = find_tool(daemon.program)
    if program is None:
        raise FileSystemFault(f"{daemon.program} is not installed; `stressbench lab setup` installs it")

    def execute() -> int:
        enter_namespaces(nodes[daemon.node], _NODE_NAMESPACES)
        prepare()
        os.chdir(LAB_FOLDER)  # core dumps and other files written here vanish with the lab
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        if daemon.cores:
            os.sched_setaffinity(0, daemon.cores)
        raise_priority()  # so that polling ranks do not starve the daemon
        os.execv(program, [daemon.program, *daemon.arguments])

    return system.fork_child(execute)


def _await(daemons: Mapping[int, Daemon], ready: Callable[[Daemon], bool]) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    for pid, daemon in daemons.items():
        while not ready(daemon):
            if os.waitpid(pid, os.WNOHANG)[0]:
                raise FileSystemFault(f"{daemon.node}: {daemon.program} ended: {_last_log_error(daemon)}")
            if time.monotonic() > deadline:
                raise FileSystemFault(f"{daemon.node}: {daemon.program} is not ready: {_last_log_error(daemon)}")
            time.sleep(_POLL_INTERVAL_S)


def _listens(node: int) -> bool:
    lines = Path(f"/proc/{node}/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    return any(
        address.endswith(f":{PORT:04X}") and state == _TCP_LISTEN for address, state in map(_address_state, lines)
    )


def _address_state(line: str) -> tuple[str, str]:
    fields = line.split()
    return fields[1], fields[3]


def _is_mounted(node: int, path: str) -> bool:
    """Whether something is mounted at `path` in this node. Blocks until the client has reached its servers."""
    mount_point = Path(f"/proc/{node}/root{path}")
    return mount_point.stat().st_dev != mount_point.parent.stat().st_dev


def _last_log_error(daemon: Daemon) -> str:
    return _last_error(Path(daemon.log).read_text(encoding="utf-8", errors="replace").splitlines())


def _last_error(lines: Iterable[str]) -> str:
    """The last error in a log of GlusterFS, which marks errors with an E after the time."""
    errors = [line for line in lines if line.startswith("[") and "] E [" in line]
    return errors[-1].partition("] E ")[2] if errors else "its log has no error"
