"""TCP streams and round trips between hosts of a lab, each side a process that `lab exec` starts.

tcp_streams.py receive SECONDS STREAMS [FOLDER RECEIVERS]
                                      prints the bytes that each sender's address sent in that time, as JSON; several
                                      receivers with the same empty folder count in the same time
tcp_streams.py send ADDRESS STREAMS   sends until the receiver closes
tcp_streams.py exchange SECONDS [ADDRESS] sends and receives on one connection, to ADDRESS or to the host that connects;
                                      prints the bytes received in that time, as JSON
tcp_streams.py echo                   answers single bytes until the other side closes
tcp_streams.py ping ADDRESS SECONDS   prints round trips of a byte in seconds, as JSON
"""

import json
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

_STREAM_PORT, _ECHO_PORT = 5001, 5002
_CHUNK = bytes(1 << 16)
_SETTLING_S = 1.0
_LIMIT_S = 30.0


def receive(seconds: float, streams: int, folder: Path | None = None, receivers: int = 1) -> None:
    """Count after all have sent for a second, so that windows are open and queues are full."""
    counter = _Counter()
    with socket.create_server(("", _STREAM_PORT), backlog=streams) as server:
        server.settimeout(_LIMIT_S)
        connections = [server.accept() for _ in range(streams)]
    for connection, (source, _) in connections:
        threading.Thread(target=counter.read, args=(connection, source), daemon=True).start()
    if folder is not None:
        _wait_for_all(folder, receivers)
    print(json.dumps(counter.count(seconds)))


class _Counter:
    """Bytes received by sender's address."""

    def __init__(self) -> None:
        self._bytes: Counter[str] = Counter()
        self._counting = threading.Event()

    def read(self, connection: socket.socket, source: str) -> None:
        with suppress(OSError):
            while piece := connection.recv(1 << 16):
                if self._counting.is_set():
                    self._bytes[source] += len(piece)

    def count(self, seconds: float) -> Counter[str]:
        """Those of so many seconds, which begin after _SETTLING_S."""
        time.sleep(_SETTLING_S)
        self._counting.set()
        time.sleep(seconds)
        self._counting.clear()
        return self._bytes


def _wait_for_all(folder: Path, receivers: int) -> None:
    """Return when so many processes have called this with the folder."""
    folder.joinpath(socket.gethostname()).touch()
    deadline = time.monotonic() + _LIMIT_S
    while len(list(folder.iterdir())) < receivers:
        if time.monotonic() > deadline:
            sys.exit(f"tcp_streams.py: {len(list(folder.iterdir()))} of {receivers} receivers are connected")
        time.sleep(0.005)


def send(address: str, streams: int) -> None:
    """Each stream ends when the receiver does."""

    threads = [threading.Thread(target=_write, args=(_connected(address, _STREAM_PORT),)) for _ in range(streams)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _write(connection: socket.socket) -> None:
    with suppress(OSError):
        while True:
            connection.sendall(_CHUNK)


def exchange(seconds: float, address: str | None) -> None:
    if address is None:
        with socket.create_server(("", _STREAM_PORT), backlog=1) as server:
            server.settimeout(_LIMIT_S)
            connection, _ = server.accept()
    else:
        connection = _connected(address, _STREAM_PORT)
    counter = _Counter()
    threading.Thread(target=counter.read, args=(connection, "all"), daemon=True).start()
    threading.Thread(target=_write, args=(connection,), daemon=True).start()
    print(json.dumps(counter.count(seconds)["all"]))
    time.sleep(_SETTLING_S)  # the other side may have begun later


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
        case ["receive", seconds, streams, folder, receivers]:
            receive(float(seconds), int(streams), Path(folder), int(receivers))
        case ["send", address, streams]:
            send(address, int(streams))
        case ["exchange", seconds]:
            exchange(float(seconds), None)
        case ["exchange", seconds, address]:
            exchange(float(seconds), address)
        case ["echo"]:
            echo()
        case ["ping", address, seconds]:
            ping(address, float(seconds))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
