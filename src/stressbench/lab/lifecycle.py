"""A lab comes up, is found, and goes down."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from stressbench.formats.lab.errors import LabMistake
from stressbench.lab.errors import LabFault
from stressbench.lab.file import parse_lab
from stressbench.lab.mpi import scratch_of
from stressbench.lab.pinning import cores_of_hosts
from stressbench.lab.plan import Plan, plan
from stressbench.lab.planned import plain
from stressbench.lab.process import Process, process_of
from stressbench.lab.state import Phase, Slot, State, slots
from stressbench.lab.talk import Talk
from stressbench.lab.topology import Lab

_ANSWER_WITHIN_S = 60.0
_GONE_WITHIN_S = 20.0


@dataclass(frozen=True, kw_only=True)
class Running:
    """A lab that is up: what it is, and the processes that hold its nodes."""

    lab: Lab
    state: State

    @property
    def scratch(self) -> str | None:
        """Where hosts find the file system of the I/O nodes; None where none is served."""
        return self.state.scratch or None

    def holder(self, node: str) -> Process:
        """The process that holds a node. LabMistake where the lab has no such node."""
        found = (self.state.nodes or {}).get(node)
        if found is None:
            names = ", ".join(one.name for one in self.lab.nodes)
            raise LabMistake(f"lab {self.lab.name} has no '{node}'; it has {names}")
        return found


def up(text: str, *, name: str, source: str, serves: bool = True) -> Running:
    """Bring the lab up, its I/O nodes as plain nodes unless it `serves`.

    LabMistake: the file is wrong, or the lab is up already; LabFault: the machine refused a step.

    Whatever this was interrupted by, nothing is left that `down` or another `up` does not clear.
    """
    slot = Slot(name)
    lab = parse_lab(text, name=name, source=source)
    _take(slot)
    builder = process_of(os.getpid())
    assert builder is not None
    state = State(
        name=name, source=source, text=text, phase=Phase.starting, builder=builder,
        since=datetime.now(UTC).isoformat(timespec="seconds"), user_namespace=os.geteuid() != 0,
        rails=lab.rails, scratch=scratch_of(lab, serves=serves), cores=cores_of_hosts(lab, os.sched_getaffinity(0)),
    )  # fmt: skip
    built = False
    try:
        slot.write(state)
        running = Running(lab=lab, state=_build(slot, state, plan(lab, cores=state.cores, serves=serves)))
        built = True
    finally:
        if not built:
            _end(slot)
    slot.unlock()
    return running


def _take(slot: Slot) -> None:
    """Get hold of the lab's folder; clear what a killed `up` or a killed lab left in it."""
    if not slot.lock():
        state = slot.read()
        if state is not None and state.phase is Phase.up:
            raise LabMistake(f"lab {slot.name} is up already; `stressbench lab down {slot.name}` ends it")
        if state is not None and state.builder.lives:
            raise LabMistake(f"lab {slot.name} is coming up already, by process {state.builder.pid}")
        _end_processes(slot)


def _build(slot: Slot, state: State, wished: Plan) -> State:
    near, far = socket.socketpair()
    near.settimeout(_ANSWER_WITHIN_S)
    talk = Talk(near)
    with near:
        with far, slot.new_log() as log:
            launcher = subprocess.Popen(
                [sys.executable, "-m", "stressbench.lab.keeper", str(far.fileno())],
                pass_fds=(far.fileno(), slot.descriptor), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        _send(talk, {"user_namespace": state.user_namespace, "plan": plain(wished)})
        state = replace(state, keeper=process_of(_answer(talk, slot)["keeper"]), phase=Phase.building)
        slot.write(state)
        launcher.wait()
        _send(talk, {"go": True})
        pids = _answer(talk, slot)["nodes"]
        state = replace(state, nodes={name: _known(name, pair[0]) for name, pair in pids.items()})
        slot.write(state)
        _answer(talk, slot)
        slot.write(state.at(Phase.up))
        _send(talk, {"stay": True})
        return state.at(Phase.up)


def _known(name: str, pid: int) -> Process:
    found = process_of(pid)
    if found is None:
        raise LabFault(f"{name}: its process {pid} is not there; is /proc of another process namespace mounted here?")
    return found


def _send(talk: Talk, message: Mapping[str, Any]) -> None:
    try:
        talk.say(message)
    except OSError as fault:
        raise LabFault(f"the lab's keeper is gone ({fault.strerror})") from fault


def _answer(talk: Talk, slot: Slot) -> Mapping[str, Any]:
    """The keeper's next message. LabFault with its reason where it has one to give."""
    try:
        message = talk.hear()
    except TimeoutError:
        raise LabFault(f"the lab's keeper said nothing for {_ANSWER_WITHIN_S:.0f} s") from None
    if message is None:
        raise LabFault(f"the lab's keeper ended: {slot.last_words() or 'somebody killed it'}")
    if "fault" in message:
        raise LabFault(str(message["fault"]))
    return message


def down(name: str) -> bool:
    """End the lab and forget it; whether there was anything. LabFault where it does not end."""
    slot = Slot(name)
    if not slot.exists:
        slot.clear_above()
        return False
    _end(slot)
    return True


def _end(slot: Slot) -> None:
    slot.unlock()
    if not slot.lock():
        _end_processes(slot)
    slot.clear()
    slot.unlock()


def _end_processes(slot: Slot) -> None:
    """Kill the keeper, and the `up` that may be waiting for it, and wait until the kernel has ended everything."""
    for _ in range(2):  # an `up` may just be writing down its keeper
        slot.kill()
        if slot.lock(within_s=_GONE_WITHIN_S / 2):
            return
    raise LabFault(f"lab {slot.name}: its processes do not end; {slot.path / 'state.json'} names them")


def running(name: str) -> Running:
    """The lab of this name. LabMistake where it is not up."""
    slot = Slot(name)
    state = slot.read() if slot.exists and slot.is_held() else None
    if state is None or state.phase is not Phase.up:
        raise LabMistake(f"lab {name} is not up; `stressbench lab up {name}` brings it up")
    return Running(lab=parse_lab(state.text, name=state.name, source=state.source), state=state)


def chosen(name: str | None) -> Running:
    """The lab of this name; without one, the only lab that is up. LabMistake where there is none or more."""
    if name is not None:
        return running(name)
    there = labs_up()
    if not there:
        raise LabMistake("no lab is up; `stressbench lab up tiny` brings one up")
    if len(there) > 1:
        raise LabMistake(f"several labs are up: {', '.join(there)}; --lab NAME says which one is meant")
    return running(there[0])


def labs_up() -> tuple[str, ...]:
    """Names of this user's labs that are up."""
    return tuple(slot.name for slot in slots() if slot.is_held() and (state := slot.read()) and state.phase is Phase.up)
