"""TCP streams and round trips between hosts of a lab, each side a process that `lab exec` starts.

tcp_streams.py receive SECONDS STREAMS    prints the bytes that each sender's address sent in that time, as JSON
tcp_streams.py send ADDRESS STREAMS       sends until the receiver closes
tcp_streams.py echo                       answers single bytes until the other side closes
tcp_streams.py ping ADDRESS SECONDS       prints round trips of a byte in seconds, as JSON
"""

import json
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import suppress

_STREAM_PORT, _ECHO_PORT = 5001, 5002
_CHUNK = bytes(1 << 16)
_SETTLING_S = 1.0
_LIMIT_S = 30.0


def receive(seconds: float, streams: int) -> None:
    """Count after all have sent for a second, so that windows are open and queues are full."""
    sent: Counter[str] = Counter()
    counting = threading.Event()

    def read(connection: socket.socket, source: str) -> None:
        with suppress(OSError):
            while piece := connection.recv(1 << 16):
                if counting.is_set():
                    sent[source] += len(piece)

    with socket.create_server(("", _STREAM_PORT), backlog=streams) as server:
        server.settimeout(_LIMIT_S)
        connections = [server.accept() for _ in range(streams)]
    for connection, (source, _) in connections:
        threading.Thread(target=read, args=(connection, source), daemon=True).start()
    time.sleep(_SETTLING_S)
    counting.set()
    time.sleep(seconds)
    counting.clear()
    print(json.dumps(sent))


def send(address: str, streams: int) -> None:
    """Each stream ends when the receiver does."""

    def write(connection: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection.sendall(_CHUNK)

    threads = [threading.Thread(target=write, args=(_connected(address, _STREAM_PORT),)) for _ in range(streams)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def echo() -> None:
    with socket.create_server(("", _ECHO_PORT)) as server:
        server.settimeout(_LIMIT_S)
        connection, _ = server.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while byte := connection.recv(1):
        connection.sendall(byte)


def ping(address: str, seconds: float) -> None:
    round_trips_s = []
    with _connected(address, _ECHO_PORT) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        time.sleep(_SETTLING_S)
        end = time.perf_counter() + seconds
        while (begin := time.perf_counter()) < end:
            connection.sendall(b"?")
            connection.recv(1)
            round_trips_s.append(time.perf_counter() - begin)
    print(json.dumps(round_trips_s))


def _connected(address: str, port: int) -> socket.socket:
    deadline = time.monotonic() + _LIMIT_S
    while True:
        try:
            return socket.create_connection((address, port))
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def main() -> None:
    match sys.argv[1:]:
        case ["receive", seconds, streams]:
            receive(float(seconds), int(streams))
        case ["send", address, streams]:
            send(address, int(streams))
        case ["echo"]:
            echo()
        case ["ping", address, seconds]:
            ping(address, float(seconds))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
