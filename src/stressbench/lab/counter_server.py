"""The lab's link counters for programs in it: a process of the keeper that answers on a socket which only nodes see.

A line `look` is answered by a line of JSON with every direction of every link (docs/records.md, "Link counters").
"""

import json
import os
import socketserver
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from stressbench.lab import system
from stressbench.lab.errors import LabFault
from stressbench.lab.iproute import IprouteFault, tool_path
from stressbench.lab.plan import DirectionPlan
from stressbench.lab.priority import raise_priority
from stressbench.lab.queues import QDISC_ARGUMENTS, token_bucket
from stressbench.lab.variables import COUNTERS

_WORLD_WRITABLE = 0o666


def start_counter_server(wires: Iterable[DirectionPlan], pids: Mapping[str, int]) -> int:
    """Start answering for these directions of links; `pids` are the processes that hold the nodes. Its process id."""
    networks = {node: os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC) for node, pid in pids.items()}
    server = _Server(COUNTERS, tuple(wires), networks)
    Path(COUNTERS).chmod(_WORLD_WRITABLE)
    pid = system.fork_child(server.answer)
    server.server_close()
    for network in networks.values():
        os.close(network)
    return pid


class _Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    """A child for each program that asks."""

    def __init__(self, path: str, wires: tuple[DirectionPlan, ...], networks: Mapping[str, int]) -> None:
        self.wires = wires
        self.networks = networks
        super().__init__(path, _Connection)

    def answer(self) -> int:
        system.set_process_name("lab-meter")
        raise_priority()
        self.serve_forever()
        return 0


class _Connection(socketserver.StreamRequestHandler):
    """A conversation with one program."""

    server: _Server

    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(json.dumps(self._answer(line)).encode() + b"\n")

    def _answer(self, line: bytes) -> Mapping[str, Any]:
        if line != b"look\n":
            return {"fault": "the one request is: look"}
        try:
            return {"links": _read_all(self.server)}
        except (LabFault, IprouteFault, OSError, ValueError) as fault:
            return {"fault": str(fault)}


def _read_all(server: _Server) -> list[dict[str, Any]]:
    queues = _queues(server.networks)
    return [_record(wire, queues[wire.source]) for wire in server.wires]


def _queues(networks: Mapping[str, int]) -> dict[str, Any]:
    """Each node's queues as `tc` prints them; all nodes are processes at the same time."""
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
