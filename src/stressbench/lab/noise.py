"""Background traffic: datagrams at a steady rate, from a process of the lab that does nothing else."""

import socket
import time

from stressbench.lab import system
from stressbench.lab.namespaces import enter_namespaces
from stressbench.lab.plan import NoisePlan

_PORT = 9
_DATAGRAM = bytes(1472)  # with its headers the longest frame
_PAUSE_S = 0.005


def start_noise(noise: NoisePlan, source: int, target: int) -> tuple[int, int]:
    """Start a sink and a sender in the networks of these processes; their process ids."""
    sink = system.fork_child(lambda: _sink(noise, target))
    return sink, system.fork_child(lambda: _send(noise, source))


def _sink(noise: NoisePlan, target: int) -> int:
    """Hold the port, so that the target answers nothing; what overflows is dropped at once, at no cost."""
    enter_namespaces(target, ("net",))
    system.set_process_name("lab-noise")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as held:
        held.bind((noise.address, _PORT))
        while True:
            time.sleep(3600)


def _send(noise: NoisePlan, source: int) -> int:
    """As many datagrams as are due, every few milliseconds; what the card cannot take is not sent again."""
    enter_namespaces(source, ("net",))
    system.set_process_name("lab-noise")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
        sending.connect((noise.address, _PORT))
        begin, sent = time.monotonic(), 0
        while True:
            due = int((time.monotonic() - begin) * noise.frames_per_s)
            for _ in range(min(due - sent, noise.at_once)):
                _send_one(sending)
            sent = due
            time.sleep(_PAUSE_S)


def _send_one(sending: socket.socket) -> None:
    try:
        sending.send(_DATAGRAM)
    except OSError:  # the link is down at present
        return
