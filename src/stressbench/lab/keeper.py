"""The process that is the lab: `python -m stressbench.lab.keeper`, started by `up`, first of a process namespace.

Whatever a lab has hangs from namespaces that only its processes hold: when the keeper ends, however it ends, the kernel
kills them all, and with them go interfaces, mounts and files. It says nothing and listens to nobody once the lab is up.

Its conversation with `up`, over the socket whose number is its argument: up: {"plan": ...}; keeper: {"keeper": pid};
up, when it has written that down: {"go": true}; keeper: {"nodes": {name: [pid, inner pid]}}, then {"up": true}; up:
{"stay": true}. Where `up` ends before that, the lab ends. {"fault": text} tells what failed.
"""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from stressbench.formats.lab.paths import CORES, INSIDE, IO, PIDS, SCRATCH
from stressbench.lab import rights, system
from stressbench.lab.batch import BatchFault, run_batch
from stressbench.lab.meter import start_meter
from stressbench.lab.node import Holder
from stressbench.lab.noise import make_noise
from stressbench.lab.plan import Plan, cable_line
from stressbench.lab.planned import plan_from
from stressbench.lab.serving import ServingFault, serve
from stressbench.lab.talk import Talk

_OPEN_TO_ALL = 0o1777


class KeeperFault(Exception):
    """A step failed; the message says which and why."""


def main() -> int:
    """Leave every namespace, fork the keeper proper into the new ones, and end."""
    talk = Talk(socket.socket(fileno=int(sys.argv[1])))
    os.set_inheritable(int(sys.argv[1]), False)  # noqa: FBT003
    os.chdir("/")  # no folder of the machine is held
    wished = talk.hear()
    if wished is None:
        return 1
    try:
        if wished["user_namespace"]:
            system.become_root_of_new_user_namespace()
        system.unshare(system.NEWPID | system.NEWNS | system.NEWNET | system.NEWUTS | system.NEWIPC)
    except OSError as fault:
        talk.say({"fault": str(fault.strerror)})
        return 1
    pid = system.forked(lambda: _keep(talk, plan_from(wished["plan"])))
    talk.say({"keeper": pid})
    return 0


def _keep(talk: Talk, plan: Plan) -> int:
    """Build, report, and stay until somebody ends this process."""
    if "go" not in (talk.hear() or {}):
        return 1
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
    system.call_me(f"lab:{plan.name}")
    try:
        needed = _build(talk, plan)
    except (KeeperFault, ServingFault, BatchFault, OSError) as fault:
        talk.say({"fault": fault.strerror if isinstance(fault, OSError) else str(fault)})
        return 1
    talk.say({"up": True})
    if "stay" not in (talk.hear() or {}):
        return 1
    talk.close()
    return _stay(needed)


def _build(talk: Talk, plan: Plan) -> frozenset[int]:
    """The processes without which the lab is none."""
    rights.keep_what_labs_need()
    system.receive_mounts_only()
    _inside(plan)
    holders = tuple(Holder(node=node, lab=plan.name) for node in plan.nodes)
    for holder in holders:
        holder.start()
    pids = {holder.node.name: holder.reported() for holder in holders}
    talk.say({"nodes": pids})
    inner = {name: pair[1] for name, pair in pids.items()}
    for name, pid in inner.items():
        Path(PIDS, name).write_text(f"{pid}\n", encoding="utf-8")
    system.mount("proc", "/proc", "proc")
    rights.protect_settings()
    run_batch("ip", [cable_line(cable, inner) for cable in plan.cables])
    for holder in holders:
        holder.go_on()
    faults = [text for holder in holders if (text := holder.outcome())]
    if faults:
        raise KeeperFault("; ".join(faults))
    start_meter(plan.wires, inner)
    for noise in plan.noise:
        make_noise(noise, inner[noise.source], inner[noise.target])
    daemons = serve(plan.storage, inner) if plan.storage else frozenset()
    return daemons.union(holder.pid for holder in holders)


def _inside(plan: Plan) -> None:
    """/run/lab, for the lab's nodes only."""
    system.mount("tmpfs", "/run", "tmpfs", "mode=0755")
    for folder in (INSIDE, PIDS, CORES, SCRATCH, IO):
        Path(folder).mkdir(parents=True)
    Path(SCRATCH).chmod(_OPEN_TO_ALL)
    Path("/run/lock").mkdir()
    Path("/run/lock").chmod(_OPEN_TO_ALL)
    for file in plan.files:
        Path(file.path).write_text(file.text, encoding="utf-8")
        Path(file.path).chmod(0o755 if file.executable else 0o644)


def _stay(needed: frozenset[int]) -> int:
    """Collect children that end; when a node's holder or the file system ends, the lab is no lab any more."""
    while True:
        found = signal.sigwaitinfo({signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
        if found.si_signo != signal.SIGCHLD:
            return 0
        if needed.intersection(_ended()):
            return 1


def _ended() -> Iterator[int]:
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
