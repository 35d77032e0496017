"""Passes the output stream of a child process through, and keeps its end for diagnosis."""

import os
import threading
from collections import deque

from stressbench.launch.banners import BannerFilter

_CHUNK_BYTES = 1 << 16
_KEPT_BYTES = 1 << 15


class Passthrough:
    """Copies `source` to the file descriptor `sink` in its own thread until the source ends."""

    def __init__(self, *, source: int, sink: int) -> None:
        self._source = source
        self._sink: int | None = sink
        self._kept: deque[bytes] = deque()
        self._kept_bytes = 0
        self._thread = threading.Thread(target=self._copy, daemon=True)
        self._thread.start()

    def _copy(self) -> None:
        banners = BannerFilter()
        while chunk := os.read(self._source, _CHUNK_BYTES):
            self._keep(chunk)
            self._hand_on(banners.feed(chunk))
        self._hand_on(banners.flush())

    def _keep(self, chunk: bytes) -> None:
        self._kept.append(chunk)
        self._kept_bytes += len(chunk)
        while self._kept_bytes - len(self._kept[0]) > _KEPT_BYTES:
            self._kept_bytes -= len(self._kept.popleft())

    def _hand_on(self, chunk: bytes) -> None:
        """Write the whole chunk, unless the reader of the sink has ended (`| head`)."""
        rest = memoryview(chunk)
        while rest and self._sink is not None:
            try:
                rest = rest[os.write(self._sink, rest) :]
            except OSError:
                self._sink = None

    def join(self, *, timeout_s: float) -> None:
        """Wait for the end of the source, at most `timeout_s` seconds."""
        self._thread.join(timeout_s)

    def tail(self) -> str:
        """The end of the stream as text, at least its last 32 KiB."""
        return b"".join(self._kept).decode("utf-8", errors="replace")
