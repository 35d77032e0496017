"""Check of the memory limit (`ulimit -v`), made before loading libraries that hang if they get too little memory."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from stressbench.errors import MachineFault

LEAST_MIB = 384
_MIB = 1 << 20
_THREADS = "OPENBLAS_NUM_THREADS"


class LittleMemory(MachineFault):
    """The memory limit is too low for any command. The message names the required limit."""


def require_memory() -> None:
    """Raise LittleMemory if the limit on address space is below LEAST_MIB, which the loaded libraries need."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_MIB * _MIB:
        raise LittleMemory(
            f"memory is limited to {limit // _MIB} MiB; expected {LEAST_MIB} MiB or more (`ulimit -v` tells in KiB)"
        )


@contextmanager
def one_thread_of_algebra() -> Iterator[None]:
    """Limit OpenBLAS to one thread while numpy is loaded: it allocates memory per core for threads that are not used.

    The environment variable is restored on exit, so that child processes do not inherit it.
    """
    before = os.environ.get(_THREADS)
    os.environ.setdefault(_THREADS, "1")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
