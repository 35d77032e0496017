"""Functions executed in a node's network namespace by a child process."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stressbench.labs import system
from stressbench.labs.errors import LabFault
from stressbench.labs.iproute import IprouteFault
from stressbench.labs.namespaces import NETWORK_NAMESPACES, enter_namespaces

_CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, kw_only=True)
class NetworkTask:
    """A running child process; `result` waits for its return value."""

    pid: int
    where: str
    pipe: int

    def result(self) -> Any:
        """Wait for the child and return the function's value. Raises LabFault if it failed."""
        pieces = []
        while piece := os.read(self.pipe, _CHUNK_BYTES):
            pieces.append(piece)
        os.close(self.pipe)
        os.waitpid(self.pid, 0)
        found = json.loads(b"".join(pieces) or b'{"fault": "ended without a result"}')
        if "fault" in found:
            raise LabFault(f"{self.where}: {found['fault']}")
        return found["value"]


def start_in_network(pid: int, work: Callable[[], Any], *, where: str) -> NetworkTask:
    """Call `work` in the network namespace of process `pid`, in a child process that runs concurrently.

    `work` must return a JSON value; `where` names the node in messages.
    """
    reading, writing = os.pipe()

    def child() -> int:
        os.close(reading)
        try:
            enter_namespaces(pid, NETWORK_NAMESPACES)
            found = {"value": work()}
        except (OSError, IprouteFault) as fault:
            found = {"fault": getattr(fault, "strerror", None) or str(fault)}
        os.write(writing, json.dumps(found).encode())
        return 0

    started = NetworkTask(pid=system.fork_child(child), where=where, pipe=reading)
    os.close(writing)
    return started
