"""The lab supervisor, `python -m stressbench.labs.supervisor`, started by `up`: process 1 of the process namespace.

All resources of a lab belong to namespaces that only its processes hold. When the supervisor ends for any reason, the
kernel kills all processes of the lab and removes its interfaces, mounts and files. Once the lab is up, the supervisor
neither sends nor receives anything.

Protocol with `up` over a socket (the argument is its descriptor):

    up                      {"plan": ...}
    supervisor              {"supervisor": pid}, which `up` records
    up                      {"go": true}
    supervisor              {"nodes": {name: [pid, inner pid]}}, then {"up": true} when all nodes are configured
    up                      {"stay": true}; if `up` ends before that, the lab ends

The supervisor reports an error as {"fault": text}.
"""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from stressbench.formats.lab.paths import CORES, IO, LAB_FOLDER, PIDS, PROGRAMS, SCRATCH
from stressbench.labs import privileges, system
from stressbench.labs.adaptive import pin_maps_of_lab
from stressbench.labs.bpf import mount_programs, pin_program
from stressbench.labs.control_channel import ControlChannel
from stressbench.labs.counter_server import start_counter_server
from stressbench.labs.file_system import FileSystemFault, start_file_system
from stressbench.labs.iproute import IprouteFault, run_iproute
from stressbench.labs.marking import ARRIVED, ENTERING, arrived_program, entering_program
from stressbench.labs.node import NodeProcess
from stressbench.labs.noise import start_noise
from stressbench.labs.plan import Plan, veth_line
from stressbench.labs.plan_json import plan_from_json
from stressbench.stop_signals import LAB_END_SIGNALS

_WORLD_WRITABLE = 0o1777
_AWAITED_SIGNALS = frozenset({signal.SIGCHLD, *LAB_END_SIGNALS})


class SupervisorFault(Exception):
    """A step of building the lab failed; the message names the step and the reason."""


def main() -> int:
    """Create new namespaces, fork the supervisor into them, report its process id, and exit."""
    channel = ControlChannel(socket.socket(fileno=int(sys.argv[1])))
    os.set_inheritable(int(sys.argv[1]), False)  # noqa: FBT003
    os.chdir("/")  # keep no directory of the machine busy
    request = channel.receive()
    if request is None:
        return 1
    try:
        if request["user_namespace"]:
            system.enter_new_user_namespace()
        system.unshare(system.NEWPID | system.NEWNS | system.NEWNET | system.NEWUTS | system.NEWIPC)
    except OSError as fault:
        channel.send({"fault": str(fault.strerror)})
        return 1
    pid = system.fork_child(lambda: _supervise(channel, plan_from_json(request["plan"])))
    channel.send({"supervisor": pid})
    return 0


def _supervise(channel: ControlChannel, plan: Plan) -> int:
    """Build the lab, report the result to `up`, and wait for the end of the lab."""
    if "go" not in (channel.receive() or {}):
        return 1
    signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED_SIGNALS)
    system.set_process_name(f"lab:{plan.name}")
    try:
        required = _build(channel, plan)
    except (SupervisorFault, FileSystemFault, IprouteFault, OSError) as fault:
        channel.send({"fault": fault.strerror if isinstance(fault, OSError) else str(fault)})
        return 1
    channel.send({"up": True})
    if "stay" not in (channel.receive() or {}):
        return 1
    channel.close()
    return _wait_for_end(required)


def _build(channel: ControlChannel, plan: Plan) -> frozenset[int]:
    """Build the lab and return the ids of the processes that it requires: nodes and file system daemons."""
    privileges.drop_unneeded_capabilities()
    system.make_mounts_slave()
    _make_run_folder(plan)
    adaptive = any(node.adaptive for node in plan.nodes)
    if plan.marking_ns is not None or adaptive:
        mount_programs(PROGRAMS)
    if adaptive:
        pin_maps_of_lab()
    if plan.marking_ns is not None:
        pin_program(entering_program(), ENTERING)
        pin_program(arrived_program(plan.marking_ns), ARRIVED)
    holders = tuple(NodeProcess(node=node, lab=plan.name) for node in plan.nodes)
    for holder in holders:
        holder.start()
    pids = {holder.node.name: holder.receive_pids() for holder in holders}
    channel.send({"nodes": pids})
    inner = {name: pair[1] for name, pair in pids.items()}
    for name, pid in inner.items():
        Path(PIDS, name).write_text(f"{pid}\n", encoding="utf-8")
    system.mount("proc", "/proc", "proc")
    privileges.make_settings_read_only()
    run_iproute("ip", [veth_line(ends, inner) for ends in plan.veth_pairs])
    for holder in holders:
        holder.configure()
    faults = [text for holder in holders if (text := holder.failure())]
    if faults:
        raise SupervisorFault("; ".join(faults))
    start_counter_server(plan.wires, inner)
    start_noise(plan.noise, inner)
    daemons = start_file_system(plan.storage, inner) if plan.storage else frozenset()
    return daemons.union(holder.pid for holder in holders)


def _make_run_folder(plan: Plan) -> None:
    """Create /run/lab with the lab's files, visible to its nodes only."""
    system.mount("tmpfs", "/run", "tmpfs", "mode=0755")
    for folder in (LAB_FOLDER, PIDS, CORES, SCRATCH, IO):
        Path(folder).mkdir(parents=True)
    Path(SCRATCH).chmod(_WORLD_WRITABLE)
    Path("/run/lock").mkdir()
    Path("/run/lock").chmod(_WORLD_WRITABLE)
    for file in plan.files:
        Path(file.path).parent.mkdir(parents=True, exist_ok=True)
        Path(file.path).write_text(file.text, encoding="utf-8")
        Path(file.path).chmod(0o755 if file.executable else 0o644)


def _wait_for_end(required: frozenset[int]) -> int:
    """Reap children until a signal ends the lab (returns 0) or a required process ends (returns 1)."""
    while True:
        signal_info = signal.sigwaitinfo(_AWAITED_SIGNALS)
        if signal_info.si_signo != signal.SIGCHLD:
            return 0
        if required.intersection(_exited_children()):
            return 1


def _exited_children() -> Iterator[int]:
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid


if __name__ == "__main__":
    sys.exit(main())
