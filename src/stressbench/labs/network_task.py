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
        message = json.loads(b"".join(pieces) or b'{"fault": "ended without a result"}')
        if "fault" in message:
            raise LabFault(f"{self.where}: {message['fault']}")
        return message["value"]


def start_in_network(pid: int, work: Callable[[], Any], *, where: str) -> NetworkTask:
    """Call `work` in the network namespace of process `pid`, in a child process that runs concurrently.

    `work` must return a JSON value; `where` names the node in messages.
    """
    read_end, write_end = os.pipe()

    def child() -> int:
        os.close(read_end)
        try:
            enter_namespaces(pid, NETWORK_NAMESPACES)
            message = {"value": work()}
        except (OSError, IprouteFault) as fault:
            message = {"fault": getattr(fault, "strerror", None) or str(fault)}
        os.write(write_end, json.dumps(message).encode())
        return 0

    task = NetworkTask(pid=system.fork_child(child), where=where, pipe=read_end)
    os.close(write_end)
    return task
