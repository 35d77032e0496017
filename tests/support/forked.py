"""Runs `stressbench` in a process of its own, which support.fork_server forks.

Tests of signals, of streams that are closed or full, and of what is loaded start `python -m stressbench` itself.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

LIMIT_S = 540.0
"""Ends what hangs, with its output, before pytest-timeout does after 600 s; it judges nothing."""
GRACE_S = 120  # stressbench waits 60 s for its ranks
_SERVER = Path(__file__).with_name("fork_server.py")


class _ForkServer:
    """The process that forks, while this one lives."""

    def __init__(self) -> None:
        self._connection, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_SERVER), str(theirs.fileno())], pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            )  # fmt: skip

    def wait_status(
        self, words: Sequence[str], *, cwd: Path, environment: Mapping[str, str], streams: Sequence[BinaryIO],
        within: str | None, timeout_s: float,
    ) -> int:  # fmt: skip
        """Wait status of the command, which is ended if it takes too long. Raises TimeoutExpired."""
        request = {"words": list(words), "cwd": str(cwd), "environment": dict(environment), "within": within}
        self._connection.settimeout(None)
        socket.send_fds(self._connection, [json.dumps(request).encode()], [stream.fileno() for stream in streams])
        pid = self._number()
        status: int | None = None
        try:
            self._connection.settimeout(timeout_s)
            status = self._number()
        except TimeoutError:
            raise subprocess.TimeoutExpired(list(words), timeout_s) from None
        finally:  # pytest-timeout may end the waiting, too
            if status is None:
                self._end(pid)
        return status

    def _end(self, pid: int) -> None:
        os.kill(pid, signal.SIGTERM)
        self._connection.settimeout(GRACE_S)
        with suppress(TimeoutError):
            self._number()
            return
        os.killpg(pid, signal.SIGKILL)
        self._connection.settimeout(None)
        self._number()

    def _number(self) -> int:
        received = self._connection.recv(64)
        if not received:
            raise RuntimeError(f"{_SERVER.name} has ended with status {self._process.wait()}")
        return int(received)

    def close(self) -> None:
        """End the process and wait for it, so that the time that it has used is counted."""
        self._connection.close()
        self._process.wait()


@cache
def _server() -> _ForkServer:
    return _ForkServer()


def close_server() -> None:
    """End the process that forks, if there is one."""
    if _server.cache_info().currsize:
        _server().close()
        _server.cache_clear()


def stressbench(
    *words: str | Path, cwd: Path | None = None, environment: Mapping[str, str] | None = None, typed: str = "",
    within: str | None = None, timeout_s: float = LIMIT_S,
) -> subprocess.CompletedProcess[str]:  # fmt: skip
    """Run `stressbench` in the folder `cwd` with `environment`, by default those of this process.

    `typed` is what it finds on standard input. `within` names a context in which it runs, as `support.MODULE:FUNCTION`.
    Raises subprocess.TimeoutExpired.
    """
    arguments = [str(word) for word in words]
    with TemporaryFile() as typed_file, TemporaryFile() as output, TemporaryFile() as errors:
        typed_file.write(typed.encode())
        typed_file.seek(0)
        status = _server().wait_status(
            arguments, cwd=Path.cwd() if cwd is None else cwd, timeout_s=timeout_s,
            environment=os.environ if environment is None else environment, streams=(typed_file, output, errors),
            within=within,
        )  # fmt: skip
        texts = [_text(file) for file in (output, errors)]
    return subprocess.CompletedProcess(arguments, os.waitstatus_to_exitcode(status), *texts)


def _text(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode(errors="replace").replace("\r\n", "\n")
