"""Whether another process holds an exclusive `flock` on a file, without taking one if the kernel tells it."""

import fcntl
import os
import stat
from pathlib import Path

_KERNEL_LOCKS = Path("/proc/locks")


def is_locked(path: Path) -> bool | None:
    """Whether a process holds an exclusive lock on the file; None where that cannot be found out.

    A missing file has no lock. Of what is no regular file, such as a FIFO or a device, it is not found out: it is not
    even opened, which may have side effects.

    Locks of this machine are in /proc/locks. Only if there is none of this file, a shared lock is taken for an instant,
    which also finds locks of other hosts on a file system that shares them.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    except OSError:
        return None
    try:
        return _has_kernel_lock(os.fstat(descriptor)) or _refuses_a_shared_lock(descriptor)
    finally:
        os.close(descriptor)


def _has_kernel_lock(status: os.stat_result) -> bool:
    identity = f"{os.major(status.st_dev):02x}:{os.minor(status.st_dev):02x}:{status.st_ino}"
    try:
        lines = _KERNEL_LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return False
    # 1: FLOCK  ADVISORY  WRITE 2677 fe:00:10119518 0 EOF
    return any("FLOCK" in words and "WRITE" in words and identity in words for words in map(str.split, lines))


def _refuses_a_shared_lock(descriptor: int) -> bool | None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    return False
