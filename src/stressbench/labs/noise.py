"""Background traffic: UDP datagrams at a constant rate, sent by a process of the lab."""

import socket
import time
from collections.abc import Mapping, Sequence
from functools import partial

from stressbench.labs import system
from stressbench.labs.namespaces import enter_namespaces
from stressbench.labs.plan import NoisePlan

_PORT = 9
_DATAGRAM = bytes(1472)  # a full frame with its headers
_PAUSE_S = 0.005


def start_noise(flows: Sequence[NoisePlan], pids: Mapping[str, int]) -> None:
    """Start a sink on every target and a sender for every flow, in the network namespaces of their nodes' processes.

    `pids`: the processes that hold the namespaces, by node.
    """
    for target, address in {noise.target: noise.address for noise in flows}.items():
        system.fork_child(partial(_sink, address, pids[target]))
    for noise in flows:
        system.fork_child(partial(_send, noise, pids[noise.source]))


def _sink(address: str, target: int) -> int:
    """Keep the port open without reading, so that the target sends no ICMP errors and drops the excess at no cost."""
    enter_namespaces(target, ("net",))
    system.set_process_name("lab-noise")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink:
        sink.bind((address, _PORT))
        while True:
            time.sleep(3600)


def _send(noise: NoisePlan, source: int) -> int:
    """Every few milliseconds, send the datagrams that are due; those that do not fit into the queue are dropped."""
    enter_namespaces(source, ("net",))
    system.set_process_name("lab-noise")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect((noise.address, _PORT))
        begin, sent_frames = time.monotonic(), 0
        while True:
            due_frames = int((time.monotonic() - begin) * noise.frames_per_s)
            for _ in range(min(due_frames - sent_frames, noise.max_burst)):
                _send_one(sender)
            sent_frames = due_frames
            time.sleep(_PAUSE_S)


def _send_one(sender: socket.socket) -> None:
    try:
        sender.send(_DATAGRAM)
    except OSError:  # the link is down
        return
