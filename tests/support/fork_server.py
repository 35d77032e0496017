"""Forks `stressbench`: processes of their own that have loaded it, which otherwise takes longer than most commands.

`python -P fork_server.py DESCRIPTOR` loads the command of each request that it receives on the socket DESCRIPTOR,
unless it has loaded it before, and forks a process for it. Apart from what is loaded, this process begins as `python -m
stressbench` does. support.forked sends requests.
"""

import gc
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

from stressbench.cli.console.app import build, main, requested_in
from stressbench.memory_limit import single_threaded_blas

LONGEST_REQUEST_BYTES = 1 << 20
STREAMS = 3  # standard input, output and error, which a request brings along
_TESTS = str(Path(__file__).parents[1])
_LOADED_WHEN_NEEDED = ("scipy.optimize", "scipy.stats", "stressbench.report.plotting")


def serve(connection: socket.socket) -> AbstractContextManager[None]:
    """Fork a process for each request, and send its id, and then its wait status.

    Returns in forked processes only: the context in which the command is to run.
    """
    while True:
        request, descriptors, _, _ = socket.recv_fds(connection, LONGEST_REQUEST_BYTES, STREAMS)
        if not request:
            sys.exit()
        content = json.loads(request)
        _load(content["words"])
        pid = os.fork()
        if pid == 0:
            connection.close()
            return _begun(content, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        connection.send(str(pid).encode())
        connection.send(str(os.waitpid(pid, 0)[1]).encode())


def _begun(request: dict[str, Any], descriptors: Sequence[int]) -> AbstractContextManager[None]:
    """The requested context. This process gets a session, signals, environment, folder, streams and arguments."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(request["environment"])
    tempfile.tempdir = None  # and the time zone: both may have been taken from the other environment
    time.tzset()
    os.chdir(request["cwd"])
    for stream, descriptor in enumerate(descriptors):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    sys.stdin = open(0, encoding=sys.stdin.encoding, errors=sys.stdin.errors, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, closefd=False)  # noqa: SIM115
    sys.stderr = open(  # noqa: SIM115
        2, "w", buffering=1, encoding=sys.stderr.encoding, errors=sys.stderr.errors, closefd=False
    )
    sys.argv = ["stressbench", *request["words"]]
    if request["within"] is None:
        return nullcontext()
    sys.path.append(_TESTS)
    module, _, function = request["within"].partition(":")
    context: AbstractContextManager[None] = getattr(import_module(module), function)()
    return context


def _load(words: Sequence[str]) -> None:
    """Load what this command line needs, and what some commands load later."""
    loaded, requested = len(sys.modules), requested_in(words)
    with single_threaded_blas():
        build(requested=requested, has_commands=bool(requested))
        for name in _LOADED_WHEN_NEEDED:
            import_module(name)
    if len(sys.modules) > loaded:
        gc.freeze()  # else each process would look at all that is loaded, and copy its memory


if __name__ == "__main__":
    with serve(socket.socket(fileno=int(sys.argv[1]))):
        main()
