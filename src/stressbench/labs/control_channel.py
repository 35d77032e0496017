"""The channel between `stressbench lab up` and the lab supervisor; messages are lines of JSON."""

import json
import socket
from collections.abc import Mapping
from typing import Any

_CHUNK_BYTES = 1 << 16


class ControlChannel:
    """One end of the channel."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._buffer = b""

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message. Raises OSError if the other side has ended."""
        self._connection.sendall(json.dumps(message).encode() + b"\n")

    def receive(self) -> Mapping[str, Any] | None:
        """The next message; None if the other side has ended. Raises TimeoutError after the socket's timeout."""
        while b"\n" not in self._buffer:
            try:
                piece = self._connection.recv(_CHUNK_BYTES)
            except ConnectionResetError:
                return None
            if not piece:
                return None
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        message: Mapping[str, Any] = json.loads(line)
        return message

    def close(self) -> None:
        """Close this end."""
        self._connection.close()
