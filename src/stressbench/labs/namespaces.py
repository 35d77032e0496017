"""Entering a node's namespaces from outside the lab."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from stressbench.labs import system

# The user namespace comes first, as it permits entering the others; the mount namespace last, as it changes /proc.
NETWORK_NAMESPACES = ("user", "net")
ALL_NAMESPACES = ("user", "pid", "net", "ipc", "uts", "mnt")


def enter_namespaces(pid: int, kinds: Iterable[str]) -> None:
    """Enter the namespaces of process `pid` of these kinds, except those already shared. Single-threaded only.

    Entering a PID namespace affects children only, not this process. Raises OSError with the failed step.
    """
    descriptors = []
    for kind in kinds:
        target, current = f"/proc/{pid}/ns/{kind}", f"/proc/self/ns/{kind}"
        if Path(target).stat().st_ino != Path(current).stat().st_ino:
            descriptors.append(os.open(target, os.O_RDONLY | os.O_CLOEXEC))
    for descriptor in descriptors:
        system.setns(descriptor)
        os.close(descriptor)


def chdir_or_root(folder: str) -> None:
    """Change to `folder` if it exists in the present mount namespace, else to /."""
    os.chdir("/")
    with suppress(OSError):
        os.chdir(folder)
