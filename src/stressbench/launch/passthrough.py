"""Passes the output stream of a child process through, and keeps its end for diagnosis."""

import os
import threading
from collections import deque

from stressbench.launch.banners import BannerFilter

_CHUNK_BYTES = 1 << 16
_TAIL_BYTES = 1 << 15


class Passthrough:
    """Copies `source` to the file descriptor `sink` in its own thread until the source ends."""

    def __init__(self, *, source: int, sink: int) -> None:
        self._source = source
        self._sink: int | None = sink
        self._tail_chunks: deque[bytes] = deque()
        self._tail_bytes = 0
        self._thread = threading.Thread(target=self._copy, daemon=True)
        self._thread.start()

    def _copy(self) -> None:
        banners = BannerFilter()
        while chunk := os.read(self._source, _CHUNK_BYTES):
            self._append_to_tail(chunk)
            self._forward(banners.feed(chunk))
        self._forward(banners.flush())

    def _append_to_tail(self, chunk: bytes) -> None:
        self._tail_chunks.append(chunk)
        self._tail_bytes += len(chunk)
        while self._tail_bytes - len(self._tail_chunks[0]) > _TAIL_BYTES:
            self._tail_bytes -= len(self._tail_chunks.popleft())

    def _forward(self, chunk: bytes) -> None:
        """Write the whole chunk, unless the reader of the sink has ended (`| head`)."""
        remaining = memoryview(chunk)
        while remaining and self._sink is not None:
            try:
                remaining = remaining[os.write(self._sink, remaining) :]
            except OSError:
                self._sink = None

    def join(self, *, timeout_s: float) -> None:
        """Wait for the end of the source, at most `timeout_s` seconds."""
        self._thread.join(timeout_s)

    def tail(self) -> str:
        """The end of the stream as text, at least its last 32 KiB."""
        return b"".join(self._tail_chunks).decode("utf-8", errors="replace")
