"""Linux capabilities of processes in a lab, reduced to what labs need. A lab started by root is still no sandbox."""

from pathlib import Path

from stressbench.labs import system

# Numbers from linux/capability.h. The first eight allow access to files and signals as for root outside of a lab.
_CHOWN, _DAC_OVERRIDE, _DAC_READ_SEARCH, _FOWNER, _FSETID, _KILL, _SETGID, _SETUID = range(8)
_NET_BIND_SERVICE, _NET_ADMIN, _NET_RAW = 10, 12, 13  # links, ping
_IPC_LOCK, _SYS_RESOURCE = 14, 24  # RDMA and memory limits
_SYS_CHROOT, _SYS_PTRACE, _SYS_ADMIN = 18, 19, 21  # MPI's launch agent enters other nodes; FUSE and GlusterFS
_SYS_NICE = 23  # real-time scheduling of ranks
KEPT_CAPABILITIES = frozenset(
    {
        _CHOWN, _DAC_OVERRIDE, _DAC_READ_SEARCH, _FOWNER, _FSETID, _KILL, _SETGID, _SETUID, _NET_BIND_SERVICE,
        _NET_ADMIN, _NET_RAW, _IPC_LOCK, _SYS_RESOURCE, _SYS_CHROOT, _SYS_PTRACE, _SYS_ADMIN, _SYS_NICE,
    }
)  # fmt: skip
"""Processes of a lab cannot, for example, load modules, set clocks, access raw devices, create devices or reboot."""
_READ_ONLY = ("/proc/sys", "/proc/sysrq-trigger")


def drop_unneeded_capabilities() -> None:
    """Drop all capabilities but KEPT_CAPABILITIES, for this process and its descendants. Raises OSError."""
    for number in range(_last_capability() + 1):
        if number not in KEPT_CAPABILITIES:
            system.drop_from_bounding_set(number)
    system.restrict_capabilities(sum(1 << number for number in KEPT_CAPABILITIES))


def make_settings_read_only() -> None:
    """Make the kernel settings below /proc read-only in this mount namespace. Raises OSError."""
    for path in _READ_ONLY:
        if Path(path).exists():
            system.bind_mount(path, path)
            system.make_read_only(path)


def _last_capability() -> int:
    return int(Path("/proc/sys/kernel/cap_last_cap").read_text(encoding="utf-8"))
