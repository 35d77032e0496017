"""Check of the memory limit (`ulimit -v`), made before loading libraries that hang if they get too little memory."""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

from stressbench.errors import MachineFault

MIN_MIB = 384
_MIB = 1 << 20
_BLAS_THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"


class MemoryLimitTooLow(MachineFault):
    """The memory limit is too low for any command. The message names the required limit."""


def require_memory() -> None:
    """Raise MemoryLimitTooLow if the limit on address space is below MIN_MIB, which the loaded libraries need."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < MIN_MIB * _MIB:
        raise MemoryLimitTooLow(
            f"memory is limited to {limit // _MIB} MiB; expected {MIN_MIB} MiB or more (`ulimit -v` reports KiB)"
        )


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit OpenBLAS to one thread while numpy is loaded: it allocates memory per core for threads that are not used.

    The environment variable is restored on exit, so that child processes do not inherit it.
    """
    previous = os.environ.get(_BLAS_THREADS_VARIABLE)
    os.environ.setdefault(_BLAS_THREADS_VARIABLE, "1")
    try:
        yield
    finally:
        if previous is None:
            del os.environ[_BLAS_THREADS_VARIABLE]
