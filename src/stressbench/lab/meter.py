"""The lab's link counters for programs in it: a process of the keeper that answers on a socket which only nodes see.

A line `look` is answered by a line of JSON with every direction of every link (docs/records.md, "Link counters").
"""

import json
import os
import socketserver
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from stressbench.lab import system
from stressbench.lab.attention import be_prompt
from stressbench.lab.mpi import COUNTERS
from stressbench.lab.plan import WirePlan
from stressbench.lab.tools import find_tool

_OPEN_TO_ALL = 0o666


class MeterFault(Exception):
    """A node could not be asked; the message says why."""


def start_meter(wires: Iterable[WirePlan], pids: Mapping[str, int]) -> int:
    """Start answering for these directions of links; `pids` are the processes that hold the nodes. Its process id."""
    networks = {node: os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC) for node, pid in pids.items()}
    server = _Server(COUNTERS, tuple(wires), networks)
    Path(COUNTERS).chmod(_OPEN_TO_ALL)
    pid = system.forked(server.answer)
    server.server_close()
    for network in networks.values():
        os.close(network)
    return pid


class _Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    """A child for each program that asks."""

    def __init__(self, path: str, wires: tuple[WirePlan, ...], networks: Mapping[str, int]) -> None:
        self.wires = wires
        self.networks = networks
        super().__init__(path, _Asked)

    def answer(self) -> int:
        system.call_me("lab-meter")
        be_prompt()
        self.serve_forever()
        return 0


class _Asked(socketserver.StreamRequestHandler):
    """A conversation with one program."""

    server: _Server

    def handle(self) -> None:
        for line in self.rfile:
            self.wfile.write(json.dumps(self._answer(line)).encode() + b"\n")

    def _answer(self, line: bytes) -> Mapping[str, Any]:
        if line != b"look\n":
            return {"fault": "the one request is: look"}
        try:
            return {"links": _look(self.server)}
        except (MeterFault, OSError, ValueError) as fault:
            return {"fault": str(fault)}


def _look(server: _Server) -> list[dict[str, Any]]:
    queues = _queues(server.networks)
    return [_told(wire, queues[wire.source]) for wire in server.wires]


def _queues(networks: Mapping[str, int]) -> dict[str, Any]:
    """Each node's queues as `tc` prints them; all nodes are asked at the same time."""
    tc = find_tool("tc")
    if tc is None:
        raise MeterFault("tc is not installed (it is part of iproute2)")
    asked = {}
    for node, network in networks.items():
        system.setns(network)
        asked[node] = subprocess.Popen([tc, "-s", "-j", "qdisc"], stdout=subprocess.PIPE)
    return {node: json.loads(process.communicate()[0]) for node, process in asked.items()}


def _told(wire: WirePlan, queues: list[Any]) -> dict[str, Any]:
    queue = next((one for one in queues if one["dev"] == wire.device and one["kind"] == "tbf"), None)
    if queue is None:
        raise MeterFault(f"{wire.source} has no queue on {wire.device}")
    return {
        **{name: value for name, value in asdict(wire).items() if name != "device"},
        "rate_bits_per_s": queue["options"]["rate"] * 8,
        "bytes": queue["bytes"],
        "frames": queue["packets"],
        "drops": queue["drops"],
    }
