"""Programs whose standard output or standard error is full or closed."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path

from support.programs import Outcome


class Stream(StrEnum):
    """State of an output stream."""

    read = "read"
    full = "full"
    closed = "closed"


def ended(
    command: Sequence[object],
    *,
    output: Stream = Stream.read,
    errors: Stream = Stream.read,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Result of the command; output to streams that are not read is empty."""
    streams = {1: output, 2: errors}

    def close() -> None:
        for descriptor, stream in streams.items():
            if stream is Stream.closed:
                os.close(descriptor)

    with Path("/dev/full").open("wb") as full:
        to = [full if stream is Stream.full else subprocess.PIPE for stream in streams.values()]
        done = subprocess.run(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=to[0], stderr=to[1], cwd=cwd, text=True,
            errors="replace", env={**os.environ, **(environment or {})}, preexec_fn=close, timeout=300, check=False,
        )  # fmt: skip
    return Outcome(done.returncode, done.stdout or "", done.stderr or "")


def stressbench(*words: object) -> list[object]:
    """The command line of `stressbench`."""
    return [sys.executable, "-m", "stressbench", *words]
