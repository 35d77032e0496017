"""Server of link counters for programs in a lab, on a Unix socket that only the lab's nodes see.

The server answers each request line `look` with one line of JSON: the counters of every direction of every link
(docs/records.md, "Link counters"). It is a child of the lab supervisor and forks for each connection.
"""

import json
import os
import socketserver
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stressbench.labs import system
from stressbench.labs.errors import LabFault
from stressbench.labs.iproute import IprouteFault, tool_path
from stressbench.labs.plan import DirectionPlan
from stressbench.labs.priority import raise_priority
from stressbench.labs.queues import QDISC_ARGUMENTS, token_bucket
from stressbench.labs.variables import COUNTERS

_WORLD_WRITABLE = 0o666


def start_counter_server(wires: Iterable[DirectionPlan], pids: Mapping[str, int]) -> int:
    """Start the server for these link directions and return its process id.

    `pids` are the processes that hold the nodes' namespaces, by node name.
    """
    networks = {node: os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC) for node, pid in pids.items()}
    server = LinkCounterServer(COUNTERS, tuple(wires), networks)
    Path(COUNTERS).chmod(_WORLD_WRITABLE)
    pid = system.fork_child(server.answer)
    server.server_close()
    for network in networks.values():
        os.close(network)
    return pid


class LinkCounterServer(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    """Answers each connection in a child process."""

    def __init__(self, path: str, wires: tuple[DirectionPlan, ...], networks: Mapping[str, int]) -> None:
        self.wires = wires
        self.networks = networks
        super().__init__(path, _Connection)

    def answer(self) -> int:
        """Serve requests until the process is killed."""
        system.set_process_name("lab-counters")
        raise_priority()
        self.serve_forever()
        return 0


class _Connection(socketserver.StreamRequestHandler):
    """Handler of one client connection."""

    server: LinkCounterServer

    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(json.dumps(self._answer(line)).encode() + b"\n")

    def _answer(self, line: bytes) -> Mapping[str, Any]:
        if line != b"look\n":
            return {"fault": "unknown request; expected: look"}
        try:
            return {"links": _read_all(self.server)}
        except (LabFault, IprouteFault, OSError, ValueError) as fault:
            return {"fault": str(fault)}


def _read_all(server: LinkCounterServer) -> list[dict[str, Any]]:
    queues = _queues(server.networks)
    return [_record(wire, queues[wire.source]) for wire in server.wires]


def _queues(networks: Mapping[str, int]) -> dict[str, Any]:
    """Queues of each node as printed by `tc`, which runs in all nodes concurrently."""
    tc = tool_path("tc")
    processes = {}
    for node, network in networks.items():
        system.setns(network)
        processes[node] = subprocess.Popen([tc, *QDISC_ARGUMENTS], stdout=subprocess.PIPE)
    return {node: json.loads(process.communicate()[0]) for node, process in processes.items()}


def _record(wire: DirectionPlan, queues: list[Any]) -> dict[str, Any]:
    bucket = token_bucket(queues, node=wire.source, device=wire.device)
    return {
        "link": wire.link,
        "source": wire.source,
        "target": wire.target,
        "rate_bits_per_s": bucket.rate.bits_per_s,
        "bytes": bucket.bytes,
        "frames": bucket.frames,
        "drops": bucket.drops,
    }
