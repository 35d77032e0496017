"""Linux system calls that Python 3.11 does not provide. Each raises OSError with the name of the call."""

import ctypes
import os
import struct
import traceback
from collections.abc import Callable
from pathlib import Path

NEWNS, NEWUTS, NEWIPC = 0x00020000, 0x04000000, 0x08000000
NEWUSER, NEWPID, NEWNET = 0x10000000, 0x20000000, 0x40000000
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_MS_RDONLY, _MS_REMOUNT = 0x1, 0x20
_MS_LOCKED = 0xE  # nosuid, nodev, noexec: an unprivileged remount has to repeat them
_PR_SET_PDEATHSIG, _PR_SET_NAME, _PR_CAPBSET_READ, _PR_CAPBSET_DROP = 1, 15, 23, 24
_CAPABILITIES_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags: int) -> None:
    """Move this process to new namespaces of these kinds."""
    _check(_libc.unshare(flags), "unshare")


def setns(descriptor: int) -> None:
    """Enter the namespace of an open /proc/PID/ns file."""
    _check(_libc.setns(descriptor, 0), "setns")


def mount(source: str, target: str, kind: str, options: str = "") -> None:
    """Mount a file system of this kind at `target`."""
    _check(
        _libc.mount(source.encode(), target.encode(), kind.encode(), 0, options.encode()), f"mount {kind} on {target}"
    )


def bind_mount(source: str, target: str) -> None:
    """Bind-mount `source` at `target`."""
    _check(_libc.mount(source.encode(), target.encode(), None, _MS_BIND, None), f"bind {source} to {target}")


def make_read_only(target: str) -> None:
    """Remount `target` read-only."""
    flags = os.statvfs(target).f_flag & _MS_LOCKED
    _check(
        _libc.mount(None, target.encode(), None, _MS_BIND | _MS_REMOUNT | _MS_RDONLY | flags, None),
        f"make {target} read-only",
    )


def drop_from_bounding_set(capability: int) -> None:
    """Remove a capability from the bounding set, so that no program started from now on can gain it."""
    if _libc.prctl(_PR_CAPBSET_READ, capability, 0, 0, 0) == 1:
        _check(_libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0), f"give up capability {capability}")


def restrict_capabilities(mask: int) -> None:
    """Restrict the capabilities of this process to those in `mask`."""
    header = struct.pack("Ii", _CAPABILITIES_3, 0)
    capability_data = ctypes.create_string_buffer(24)
    _check(_libc.capget(header, capability_data), "capget")
    mask_words = (mask & 0xFFFFFFFF,) * 3 + (mask >> 32,) * 3
    kept = (word & allowed for word, allowed in zip(struct.unpack("6I", capability_data.raw), mask_words, strict=True))
    _check(_libc.capset(header, struct.pack("6I", *kept)), "capset")


def make_mounts_slave() -> None:
    """Make all mounts slaves: mounts made here stay in this namespace, those made outside still propagate into it."""
    _check(_libc.mount(b"none", b"/", None, _MS_REC | _MS_SLAVE, None), "make mounts private")


def set_parent_death_signal(signal_number: int) -> None:
    """Receive this signal when the parent process ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, signal_number), "prctl")


def set_process_name(name: str) -> None:
    """Set the name of this process as shown by `ps`; the first 15 bytes count."""
    _check(_libc.prctl(_PR_SET_NAME, name.encode()[:15]), "prctl")


def enter_new_user_namespace() -> None:
    """Enter a new user namespace in which this user is root and no other user exists. Single-threaded only."""
    uid, gid = os.geteuid(), os.getegid()
    unshare(NEWUSER)
    Path("/proc/self/setgroups").write_text("deny", encoding="utf-8")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1", encoding="utf-8")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1", encoding="utf-8")


def fork_child(work: Callable[[], int]) -> int:
    """Fork a child that calls `work` and exits with its result, and return the child's id.

    If `work` raises an exception, the child prints it to stderr and exits with status 70.
    """
    pid = os.fork()
    if pid:
        return pid
    status = 70
    try:
        status = work()
    except BaseException:
        traceback.print_exc()
        raise
    finally:
        os._exit(status)


def syscall(number: int, *arguments: object, what: str) -> int:
    """The result of a system call by its number, for those that the C library has no function for."""
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    _check(result, what)
    return result


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
