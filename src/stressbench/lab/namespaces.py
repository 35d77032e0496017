"""Going into a node's namespaces from outside the lab."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from stressbench.lab import system

# The user namespace first: it gives the right to enter the others. The mount namespace last: it changes /proc.
NETWORK_NAMESPACES = ("user", "net")
ALL_NAMESPACES = ("user", "pid", "net", "ipc", "uts", "mnt")


def enter_namespaces(pid: int, kinds: Iterable[str]) -> None:
    """Enter the namespaces of these kinds that process `pid` is in and this one is not; a process of one thread only.

    Of `pid`'s process namespace, children become members, this process does not. OSError says what was refused.
    """
    descriptors = []
    for kind in kinds:
        theirs, own = f"/proc/{pid}/ns/{kind}", f"/proc/self/ns/{kind}"
        if Path(theirs).stat().st_ino != Path(own).stat().st_ino:
            descriptors.append(os.open(theirs, os.O_RDONLY | os.O_CLOEXEC))
    for descriptor in descriptors:
        system.setns(descriptor)
        os.close(descriptor)


def chdir_or_root(folder: str) -> None:
    """Back into a folder after another mount namespace was entered, where it is there too."""
    os.chdir("/")
    with suppress(OSError):
        os.chdir(folder)
