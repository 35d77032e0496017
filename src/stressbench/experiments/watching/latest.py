"""The newest state of what is watched, which is read at most once per interval, however many pages ask."""

import threading
import time
from collections.abc import Callable, Mapping

from stressbench.experiments.watching.page_server import Content
from stressbench.experiments.watching.watcher import Watcher
from stressbench.formats.json_text import json_text
from stressbench.report.live_page import live_page
from stressbench.results.watching import Watched

_SHARE = 0.9
"""Of the interval, so that a page that asks once per interval gets a new state each time."""


class Latest:
    """Looks when it is asked, but not more often than once per interval. May be used by several threads."""

    def __init__(self, watcher: Watcher, *, interval_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._watcher = watcher
        self._interval_s = interval_s
        self._clock = clock
        self._lock = threading.Lock()
        self._watched: Watched | None = None
        self._looked_s = 0.0

    def watched(self, *, anew: bool = False) -> Watched:
        """The state, which is at most one interval old; with `anew` that of this moment."""
        with self._lock:
            if self._watched is None or anew or self._clock() - self._looked_s >= _SHARE * self._interval_s:
                self._watched = self._watcher.look()
                self._looked_s = self._clock()
            return self._watched

    def contents(self) -> Mapping[str, Content]:
        """The page, and the state as JSON, by path."""
        return {
            "/": Content(
                media_type="text/html", text=lambda: live_page(self.watched(), interval_s=self._interval_s)
            ),
            "/state.json": Content(
                media_type="application/json", text=lambda: json_text(self.watched(), Watched) + "\n"
            ),
        }  # fmt: skip
