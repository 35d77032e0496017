"""A named pipe for what ranks print, in place of the launcher's pseudo-terminals.

Open MPI passes the standard output of ranks on through pseudo-terminals, whose data the kernel moves without real-time
priority. A rank that prints would wait for seconds beside others that poll at real-time priority.
"""

import fcntl
import os
import secrets
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from stressbench.scratch_names import scratch_prefix

_CAPACITY_BYTES = 1 << 20
"""The most that Linux allows without privileges. A rank that prints does not wait until this is full."""


def unused_path() -> Path:
    """A path for a pipe, in a temporary directory that is made with it; `stressbench clean` finds it after SIGKILL."""
    return Path(tempfile.gettempdir()) / f"{scratch_prefix('output')}{secrets.token_hex(4)}" / "pipe"


class OutputPipe:
    """An open pipe at `path`, which ranks write to. `reader`: descriptor to read from, which ends with all writers.

    Raises OSError where it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._folder = path.parent
        self._folder.mkdir(mode=0o700)
        try:
            os.mkfifo(path, mode=0o600)
            self.reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            self._writer: int | None = os.open(path, os.O_WRONLY)
        except OSError:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        os.set_blocking(self.reader, True)
        with suppress(OSError):
            fcntl.fcntl(self.reader, fcntl.F_SETPIPE_SZ, _CAPACITY_BYTES)

    def end_of_ranks(self) -> None:
        """From now on the reader ends as soon as no rank has the pipe open."""
        if self._writer is not None:
            os.close(self._writer)
            self._writer = None

    def close(self) -> None:
        """Close and remove the pipe."""
        self.end_of_ranks()
        os.close(self.reader)
        shutil.rmtree(self._folder, ignore_errors=True)
