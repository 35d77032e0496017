"""One node of a lab: the process that holds its namespaces and configures them from inside."""

import os
import signal
import socket
from contextlib import suppress
from pathlib import Path

from stressbench.formats.lab.paths import HOSTS
from stressbench.labs import privileges, system
from stressbench.labs.adaptive import pin_routing_program
from stressbench.labs.iproute import IprouteFault, run_iproute
from stressbench.labs.plan import NodePlan, Setting
from stressbench.stop_signals import LAB_END_SIGNALS

_CHUNK_BYTES = 1 << 16


class NodeProcess:
    """A child of the lab supervisor that holds a node's namespaces. All nodes run each setup step in parallel."""

    def __init__(self, *, node: NodePlan, lab: str) -> None:
        self.node = node
        self.pid = 0
        self._lab = lab
        self._parent_socket, self._child_socket = socket.socketpair()

    def start(self) -> None:
        """Fork the child, which enters new namespaces and waits for `configure`."""
        self.pid = system.fork_child(self._run)
        self._child_socket.close()

    def receive_pids(self) -> tuple[int, int]:
        """Wait for the child's process id outside and inside of the lab. Raises OSError with the child's message."""
        message = self._parent_socket.recv(_CHUNK_BYTES).decode()
        if not message.startswith("pids "):
            raise OSError(0, f"{self.node.name}: {message or 'ended without a message'}")
        outer, inner = message.split()[1:]
        return int(outer), int(inner)

    def configure(self) -> None:
        """Let the child configure its network. Its links must exist."""
        self._parent_socket.send(b"go")

    def failure(self) -> str | None:
        """Wait for the end of the configuration and return the error message; None on success."""
        message = self._parent_socket.recv(_CHUNK_BYTES).decode()
        self._parent_socket.close()
        return None if message == "done" else f"{self.node.name}: {message or 'ended without a message'}"

    def _run(self) -> int:
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for number in LAB_END_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        self._parent_socket.close()
        try:
            self._child_socket.send(self._enter_new_namespaces().encode())
            if self._child_socket.recv(_CHUNK_BYTES) != b"go":
                return 1
            self._set_up()
        except (OSError, IprouteFault) as fault:
            self._child_socket.send(str(getattr(fault, "strerror", None) or fault).encode())
            return 1
        self._child_socket.send(b"done")
        self._child_socket.close()
        while True:
            signal.pause()

    def _enter_new_namespaces(self) -> str:
        outer = Path("/proc/self").readlink()  # /proc is still that of the machine
        system.unshare(system.NEWNET | system.NEWNS | system.NEWUTS | system.NEWIPC)
        system.set_process_name(f"{self._lab}:{self.node.name}")
        socket.sethostname(self.node.name)
        system.mount("proc", "/proc", "proc")
        system.mount("tmpfs", "/dev/shm", "tmpfs", "mode=1777")
        system.bind_mount(HOSTS, "/etc/hosts")
        _try_mount("sysfs", "/sys")
        for setting in self.node.settings:
            _write(setting)  # before there is a NIC that could send anything
        privileges.make_settings_read_only()
        return f"pids {outer} {os.getpid()}"

    def _set_up(self) -> None:
        run_iproute("ip", self.node.ip_first)
        for device in self.node.in_order:
            _handle_on_one_core(device)
        if self.node.adaptive is not None:
            pin_routing_program(self.node.adaptive)
        run_iproute("tc", self.node.tc)
        run_iproute("ip", self.node.ip)


def _write(setting: Setting) -> None:
    try:
        Path("/proc/sys", setting.file).write_text(setting.value, encoding="utf-8")
    except OSError as fault:
        if not setting.optional:
            raise OSError(fault.errno, f"{setting.file} = {setting.value}: {fault.strerror}") from fault


def _handle_on_one_core(device: str) -> None:
    """Let the kernel choose the core that handles an arriving frame by its connection (receive packet steering).

    Otherwise it is the core on which the frame was sent, and two cores may change the order of frames. A kernel without
    receive packet steering has no such file, and a container may have mounted it read-only.
    """
    cores = f"{(1 << (os.cpu_count() or 1)) - 1:x}"
    words = [cores[max(0, end - 8) : end] for end in range(len(cores), 0, -8)]
    with suppress(OSError):
        Path(f"/sys/class/net/{device}/queues/rx-0/rps_cpus").write_text(",".join(reversed(words)), encoding="utf-8")


def _try_mount(kind: str, target: str) -> None:
    """Mount a file system. If a container forbids the mount, the one of the machine stays visible."""
    try:
        system.mount(kind, target, kind)
    except OSError:
        return
