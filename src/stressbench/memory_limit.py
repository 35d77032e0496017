"""Limits on memory (`ulimit -v`): checked before loading libraries that wait forever for memory."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from stressbench.errors import MachineFault

LEAST_MIB = 384
_MIB = 1 << 20
_THREADS = "OPENBLAS_NUM_THREADS"


class LittleMemory(MachineFault):
    """The limit is too low for any command; the message says what is needed."""


def require_memory() -> None:
    """Raise LittleMemory where the limit is below what the libraries map."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_MIB * _MIB:
        raise LittleMemory(
            f"memory is limited to {limit // _MIB} MiB; expected {LEAST_MIB} MiB or more (`ulimit -v` tells in KiB)"
        )


@contextmanager
def one_thread_of_algebra() -> Iterator[None]:
    """While numpy is loaded: OpenBLAS takes memory for each core then, and we leave its threads idle.

    Programs that we start find the variable as it was.
    """
    before = os.environ.get(_THREADS)
    os.environ.setdefault(_THREADS, "1")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
