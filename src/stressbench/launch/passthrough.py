"""Bytes of a child's stream, handed on as they come, with the last of them kept for a diagnosis."""

import os
import threading
from collections import deque

from stressbench.launch.banners import BannerFilter

_CHUNK_BYTES = 1 << 16
_KEPT_BYTES = 1 << 15


class Passthrough:
    """Copies `source` to the file descriptor `sink` in a thread of its own until the source ends."""

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
        """Write all of it; once nobody reads any more (`| head`), only keep."""
        rest = memoryview(chunk)
        while rest and self._sink is not None:
            try:
                rest = rest[os.write(self._sink, rest) :]
            except OSError:
                self._sink = None

    def join(self, *, timeout_s: float) -> None:
        """Wait for the end of the source, at most so long."""
        self._thread.join(timeout_s)

    def tail(self) -> str:
        """The last text that came, at least 32 KiB where there was so much."""
        return b"".join(self._kept).decode("utf-8", errors="replace")
