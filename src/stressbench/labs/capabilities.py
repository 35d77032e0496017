"""Capabilities that labs need from this machine, each tested in a short-lived child process."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from stressbench.labs import system
from stressbench.labs.adaptive import check_routing_program
from stressbench.labs.bpf import load_program
from stressbench.labs.marking import arrived_program, entering_program
from stressbench.labs.status import Capability
from stressbench.labs.tools import find_tool

_SETUP = "`stressbench lab setup` names the package and installs it"


def capabilities() -> tuple[Capability, ...]:
    """Test all capabilities."""
    root = os.geteuid() == 0
    tools = all(find_tool(tool) for tool in ("ip", "tc", "nsenter"))
    return (
        Capability(
            name="programs", there=tools, needed=True, why="ip, tc and nsenter make the lab",
            remedy=_SETUP,
        ),
        Capability(
            name="user namespaces", there=root or _permitted(lambda: None), needed=not root, why="a lab without root",
            remedy=_user_remedy(),
        ),
        Capability(
            name="namespaces", there=_permitted(lambda: system.unshare(_ALL_NAMESPACES)), needed=True,
            why="hosts and switches are namespaces", remedy="run as root on the machine itself, not in a container",
        ),
        Capability(
            name="own /proc", there=_permitted(_mount_proc), needed=True,
            why="processes of the lab see each other only",
            remedy="run as root, or where the container does not mask /proc",
        ),
        Capability(
            name="veth", there=_permitted(_commands_in_network("ip link add name one type veth peer name two")),
            needed=True, why="links", remedy="modprobe veth, or a kernel with CONFIG_VETH",
        ),
        Capability(
            name="bridge", there=_permitted(_commands_in_network("ip link add name one type bridge")), needed=True,
            why="switches", remedy="modprobe bridge, or a kernel with CONFIG_BRIDGE",
        ),
        Capability(
            name="tbf",
            there=_permitted(_commands_in_network("tc qdisc add dev lo root tbf rate 1mbit burst 3028 limit 9000")),
            needed=True, why="links of a stated rate", remedy="modprobe sch_tbf, or a kernel with CONFIG_NET_SCH_TBF",
        ),
        netem(),
        turns(),
        marks(),
        load_dependent_routing(),
        multipath(),
        *storage(),
        Capability(
            name="real-time turns", there=_succeeds_in_child(_real_time_scheduling), needed=False,
            why="ranks that share a core take turns fairly",
            remedy="run as root, or give the user CAP_SYS_NICE in the machine's own user namespace",
        ),
    )  # fmt: skip


def netem() -> Capability:
    """Test the queueing discipline that `delay` in lab files needs."""
    return Capability(
        name="netem", there=_permitted(_commands_in_network("tc qdisc add dev lo root netem delay 1ms")), needed=False,
        why="`delay` in lab files",
        remedy="modprobe sch_netem, or a kernel with CONFIG_NET_SCH_NETEM; or leave delay out",
    )  # fmt: skip


def turns() -> Capability:
    """Test the queueing discipline and the filter that `arbitration = "fair"` in lab files needs."""
    return Capability(
        name="htb",
        there=_permitted(
            _commands_in_network(
                "tc qdisc add dev lo root handle 1: htb",
                "tc filter add dev lo parent 1: protocol ip u32 match ip src 10.0.0.1/32 flowid 1:1",
            )
        ),
        needed=False, why='`arbitration = "fair"` in lab files',
        remedy="modprobe sch_htb cls_u32, or a kernel with CONFIG_NET_SCH_HTB and CONFIG_NET_CLS_U32",
    )  # fmt: skip


def marks() -> Capability:
    """Test whether programs can be loaded that mark frames, which `marking` in lab files needs."""
    return Capability(
        name="eBPF", there=_permitted(_load_marking_programs), needed=False, why="`marking` in lab files",
        remedy="run as root, on Linux 5.18 or later with CONFIG_BPF_SYSCALL, CONFIG_NET_CLS_BPF and "
        "CONFIG_NET_SCH_INGRESS",
    )  # fmt: skip


def load_dependent_routing() -> Capability:
    """Test whether the program can be loaded that `routing = "adaptive"` in lab files needs."""
    return Capability(
        name="eBPF maps", there=_permitted(check_routing_program), needed=False,
        why='`routing = "adaptive"` in lab files',
        remedy="run as root, on Linux 5.18 or later with CONFIG_BPF_SYSCALL, CONFIG_NET_CLS_BPF and "
        "CONFIG_NET_SCH_INGRESS",
    )  # fmt: skip


def multipath() -> Capability:
    """Test the routes with several next hops that `routing = "ecmp"` in lab files needs."""
    return Capability(
        name="multipath", there=_permitted(_add_multipath_route), needed=False, why='`routing = "ecmp"` in lab files',
        remedy="a kernel with CONFIG_IP_ROUTE_MULTIPATH",
    )  # fmt: skip


def storage() -> tuple[Capability, ...]:
    """Test what I/O nodes need to serve a file system."""
    programs = all(find_tool(tool) for tool in ("glusterfs", "glusterfsd"))
    return (
        Capability(name="GlusterFS", there=programs, needed=False, why=_FILE_SYSTEM_PURPOSE, remedy=_SETUP),
        Capability(
            name="FUSE", there=_succeeds_in_child(_open_fuse), needed=False, why=_FILE_SYSTEM_PURPOSE,
            remedy="as root: modprobe fuse; a container must be given /dev/fuse",
        ),
        Capability(
            name="trusted attributes", there=_permitted(_set_trusted_attribute), needed=False, why=_FILE_SYSTEM_PURPOSE,
            remedy="run as root, on a kernel with CONFIG_TMPFS_XATTR",
        ),
    )  # fmt: skip


def missing() -> tuple[Capability, ...]:
    """Capabilities that every lab needs and this machine lacks."""
    return tuple(one for one in capabilities() if one.needed and not one.there)


_FILE_SYSTEM_PURPOSE = "the file system of I/O nodes"
_ALL_NAMESPACES = system.NEWPID | system.NEWNS | system.NEWNET | system.NEWUTS | system.NEWIPC


def _user_remedy() -> str:
    """Instruction that enables user namespaces; it depends on the sysctl with which the distribution disables them."""
    for file, value in (
        ("kernel/apparmor_restrict_unprivileged_userns", "0"),
        ("kernel/unprivileged_userns_clone", "1"),
    ):
        if Path("/proc/sys", file).exists():
            return f"as root: sysctl -w {file.replace('/', '.')}={value}; or run as root"
    return "as root: sysctl -w user.max_user_namespaces=10000; or run as root"


def _commands_in_network(*commands: str) -> Callable[[], None]:
    """A function that runs `ip` or `tc` commands in a new network namespace."""

    def run_commands() -> None:
        system.unshare(system.NEWNET)
        for command in commands:
            tool, *arguments = command.split()
            completed = subprocess.run([find_tool(tool) or tool, *arguments], capture_output=True, check=False)
            if completed.returncode != 0:
                raise OSError(completed.returncode, "refused")

    return run_commands


def _add_multipath_route() -> None:
    _commands_in_network(
        "ip link set lo up",
        "ip route add 10.0.0.3/32 nexthop via 10.0.0.1 dev lo onlink nexthop via 10.0.0.2 dev lo onlink",
    )()
    _ = Path("/proc/sys/net/ipv4/fib_multipath_hash_policy").stat()


def _load_marking_programs() -> None:
    for program in (entering_program(), arrived_program(limit_ns=1)):
        os.close(load_program(program))


def _mount_proc() -> None:
    system.unshare(system.NEWPID | system.NEWNS)
    system.make_mounts_slave()
    child = system.fork_child(lambda: int(not _succeeds(lambda: system.mount("proc", "/proc", "proc"))))
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        raise OSError(1, "refused")


def _open_fuse() -> None:
    os.close(os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC))


def _set_trusted_attribute() -> None:
    system.unshare(system.NEWNS)
    system.make_mounts_slave()
    system.mount("tmpfs", "/tmp", "tmpfs")
    os.setxattr("/tmp", "trusted.stressbench", b"1")


def _real_time_scheduling() -> None:
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def _permitted(work: Callable[[], None]) -> bool:
    """Whether `work` succeeds in a child process, which is in a new user namespace unless this user is root."""

    def in_user_namespace() -> None:
        if os.geteuid() != 0:
            system.enter_new_user_namespace()
        work()

    return _succeeds_in_child(in_user_namespace)


def _succeeds_in_child(work: Callable[[], None]) -> bool:
    child = system.fork_child(lambda: int(not _succeeds(work)))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _succeeds(work: Callable[[], None]) -> bool:
    try:
        work()
    except OSError:
        return False
    return True
