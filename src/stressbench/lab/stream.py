"""A raw TCP stream and a ping between two nodes, without MPI: what `lab check` believes in."""

import select
import socket
import statistics
import time
from dataclasses import dataclass

from stressbench.formats.units import Rate
from stressbench.lab.attention import be_prompt
from stressbench.lab.inside import inside
from stressbench.lab.process import Process

_PORT = 7
_PIECE = bytes(1 << 16)
_WITHIN_S = 10.0
_SKIPPED_SHARE = 0.25  # until the window has opened and the buckets are empty
_PINGS = 40
_SO_BINDTODEVICE = 25


@dataclass(frozen=True, kw_only=True)
class Port:
    """One side of a measurement: the process that holds its node, the address it speaks with, the device it uses."""

    node: str
    holder: Process
    address: str
    device: str


def stream(source: Port, target: Port, *, seconds: float) -> Rate:
    """The rate of payload that one TCP stream brings from source to target. LabFault where none is made."""
    receiving = inside(target.holder.pid, lambda: _receive(target), where=target.node)
    sending = inside(source.holder.pid, lambda: _send(source, target.address, seconds), where=source.node)
    sending.value()
    return Rate(round(receiving.value()))


def ping_s(source: Port, target: Port) -> float:
    """The median time of a byte there and back over TCP."""
    answering = inside(target.holder.pid, lambda: _echo(target), where=target.node)
    asking = inside(source.holder.pid, lambda: _ask(source, target.address), where=source.node)
    found = float(asking.value())
    answering.value()
    return found


def _receive(port: Port) -> float:
    """Payload in bits a second, from a first part that is skipped to the end."""
    with _listening(port) as server:
        connection = _accepted(server)
        with connection:
            arrived, total = [], 0
            while piece := connection.recv(1 << 16):
                total += len(piece)
                arrived.append((time.perf_counter(), total))
    begin = next((entry for entry in arrived if entry[1] > total * _SKIPPED_SHARE), arrived[0])
    end = arrived[-1]
    return (end[1] - begin[1]) * 8 / (end[0] - begin[0]) if end[0] > begin[0] else 0.0


def _send(port: Port, address: str, seconds: float) -> None:
    with _connected(port, address) as connection:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            connection.sendall(_PIECE)


def _echo(port: Port) -> None:
    with _listening(port) as server, _accepted(server) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while byte := connection.recv(1):
            connection.sendall(byte)


def _ask(port: Port, address: str) -> float:
    taken = []
    with _connected(port, address) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(_PINGS):
            begin = time.perf_counter()
            connection.sendall(b"?")
            connection.recv(1)
            taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def _listening(port: Port) -> socket.socket:
    be_prompt()
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _use(server, port)
    server.bind((port.address, _PORT))
    server.listen(1)
    return server


def _accepted(server: socket.socket) -> socket.socket:
    if not select.select([server], [], [], _WITHIN_S)[0]:
        raise OSError(0, f"nobody came within {_WITHIN_S:.0f} s")
    connection = server.accept()[0]
    connection.settimeout(_WITHIN_S)
    return connection


def _connected(port: Port, address: str) -> socket.socket:
    """Try until the other side listens."""
    be_prompt()
    end = time.monotonic() + _WITHIN_S
    while True:
        connection = socket.socket()
        connection.settimeout(_WITHIN_S)
        _use(connection, port)
        connection.bind((port.address, 0))
        try:
            connection.connect((address, _PORT))
        except ConnectionRefusedError:
            connection.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.005)
        else:
            return connection


def _use(connection: socket.socket, port: Port) -> None:
    connection.setsockopt(socket.SOL_SOCKET, _SO_BINDTODEVICE, port.device.encode() + b"\0")
