"""TCP streams and round trips between two nodes without MPI, the reference for `lab check`."""

import select
import socket
import statistics
import time
from dataclasses import dataclass

from stressbench.formats.units import Rate
from stressbench.labs.network_task import start_in_network
from stressbench.labs.priority import raise_priority
from stressbench.labs.process import Process

_PORT = 7
_CHUNK = bytes(1 << 16)
_TIMEOUT_S = 10.0
_SKIPPED_SHARE = 0.25  # initial share, until the TCP window is open and the token buckets are empty
_PINGS = 40
_SO_BINDTODEVICE = 25


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One side of a measurement: a node, the process that holds its namespaces, its address and its device."""

    node: str
    holder: Process
    address: str
    device: str


def stream(source: Endpoint, target: Endpoint, *, seconds: float) -> Rate:
    """Payload rate of one TCP stream from source to target. Raises LabFault if it fails."""
    receiver = start_in_network(target.holder.pid, lambda: _receive(target), where=target.node)
    sender = start_in_network(source.holder.pid, lambda: _send(source, target.address, seconds), where=source.node)
    sender.result()
    return Rate(round(receiver.result()))


def ping_s(source: Endpoint, target: Endpoint) -> float:
    """Median round-trip time (s) of one byte over TCP. Raises LabFault if it fails."""
    echo = start_in_network(target.holder.pid, lambda: _echo(target), where=target.node)
    ping = start_in_network(source.holder.pid, lambda: _ping(source, target.address), where=source.node)
    round_trip_s = float(ping.result())
    echo.result()
    return round_trip_s


def _receive(endpoint: Endpoint) -> float:
    """Payload rate in bits/s without the initial part of the stream."""
    with _listening(endpoint) as server:
        connection = _accepted(server)
        with connection:
            arrived, total = [], 0
            while piece := connection.recv(1 << 16):
                total += len(piece)
                arrived.append((time.perf_counter(), total))
    if not arrived:
        raise OSError(0, "nothing arrived")
    begin = next((entry for entry in arrived if entry[1] > total * _SKIPPED_SHARE), arrived[0])
    end = arrived[-1]
    return (end[1] - begin[1]) * 8 / (end[0] - begin[0]) if end[0] > begin[0] else 0.0


def _send(endpoint: Endpoint, address: str, seconds: float) -> None:
    with _connected(endpoint, address) as connection:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            connection.sendall(_CHUNK)


def _echo(endpoint: Endpoint) -> None:
    with _listening(endpoint) as server, _accepted(server) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while byte := connection.recv(1):
            connection.sendall(byte)


def _ping(endpoint: Endpoint, address: str) -> float:
    round_trips_s = []
    with _connected(endpoint, address) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(_PINGS):
            begin = time.perf_counter()
            connection.sendall(b"?")
            connection.recv(1)
            round_trips_s.append(time.perf_counter() - begin)
    return statistics.median(round_trips_s)


def _listening(endpoint: Endpoint) -> socket.socket:
    raise_priority()
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    _bind_to_device(server, endpoint)
    server.bind((endpoint.address, _PORT))
    server.listen(1)
    return server


def _accepted(server: socket.socket) -> socket.socket:
    if not select.select([server], [], [], _TIMEOUT_S)[0]:
        raise OSError(0, f"no connection within {_TIMEOUT_S:.0f} s")
    connection = server.accept()[0]
    connection.settimeout(_TIMEOUT_S)
    return connection


def _connected(endpoint: Endpoint, address: str) -> socket.socket:
    """Connect, with retries until the other side listens."""
    raise_priority()
    deadline = time.monotonic() + _TIMEOUT_S
    while True:
        connection = socket.socket()
        connection.settimeout(_TIMEOUT_S)
        _bind_to_device(connection, endpoint)
        connection.bind((endpoint.address, 0))
        try:
            connection.connect((address, _PORT))
        except ConnectionRefusedError:
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.005)
        else:
            return connection


def _bind_to_device(connection: socket.socket, endpoint: Endpoint) -> None:
    connection.setsockopt(socket.SOL_SOCKET, _SO_BINDTODEVICE, endpoint.device.encode() + b"\0")
