"""Lifecycle of labs: bring up, find, take down."""

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from stressbench.formats.lab.errors import LabMistake
from stressbench.labs.control_channel import ControlChannel
from stressbench.labs.errors import LabFault
from stressbench.labs.file import parse_lab
from stressbench.labs.idle_states import AWAKE
from stressbench.labs.kernel_threads import schedule_as_usual, schedule_with_ranks
from stressbench.labs.mpi import scratch_of
from stressbench.labs.pinning import cores_of_hosts
from stressbench.labs.plan import Plan, plan
from stressbench.labs.plan_json import plan_to_json
from stressbench.labs.process import SUPERVISOR, Process, find_process
from stressbench.labs.state import LabDirectory, Phase, State, lab_directories
from stressbench.labs.topology import Lab

_PYTHON = (sys.executable, "-P", "-m")  # -P: never import from the working directory, which another user may own
_ANSWER_TIMEOUT_S = 60.0
_EXIT_TIMEOUT_S = 20.0


@dataclass(frozen=True, kw_only=True)
class RunningLab:
    """A lab that is up, and its recorded state with the processes that hold its nodes' namespaces."""

    lab: Lab
    state: State

    @property
    def scratch(self) -> str | None:
        """Mount point of the I/O nodes' file system on hosts; None if none is served."""
        return self.state.scratch or None

    def holder(self, node: str) -> Process:
        """The process that holds a node's namespaces. Raises LabMistake if the lab has no such node."""
        process = (self.state.nodes or {}).get(node)
        if process is None:
            names = ", ".join(one.name for one in self.lab.nodes)
            raise LabMistake(f"lab {self.lab.name} has no '{node}'; it has {names}")
        return process


def up(text: str, *, name: str, source: str, serve_files: bool = True) -> RunningLab:
    """Bring up the lab described by `text`, with a file system on its I/O nodes if `serve_files`.

    `source` names the file in messages. Raises LabMistake if the text is invalid or the lab is already up, and
    LabFault if a step fails. If interrupted at any time, `down` or another `up` removes what is left.
    """
    directory = LabDirectory(name)
    lab = parse_lab(text, name=name, source=source)
    _acquire(directory)
    builder = find_process(os.getpid())
    assert builder is not None
    state = State(
        name=name, source=source, text=text, phase=Phase.starting, builder=builder,
        since=datetime.now(UTC).isoformat(timespec="seconds"), user_namespace=os.geteuid() != 0,
        rails=lab.rails, scratch=scratch_of(lab, serve_files=serve_files),
        cores=cores_of_hosts(lab, os.sched_getaffinity(0)),
    )  # fmt: skip
    built = False
    try:
        directory.write(state)
        running = RunningLab(
            lab=lab, state=_build(directory, state, plan(lab, cores=state.cores, serve_files=serve_files))
        )
        schedule_with_ranks()
        built = True
    finally:
        if not built:
            _tear_down(directory)
    directory.unlock()
    return running


def _acquire(directory: LabDirectory) -> None:
    """Lock the lab's directory, after ending processes left by a killed `up` or lab.

    Raises LabMistake if the lab is up or another `up` is bringing it up.
    """
    if not directory.lock():
        state = directory.read()
        if state is not None and state.phase is Phase.up:
            raise LabMistake(f"lab {directory.name} is up already; `stressbench lab down {directory.name}` ends it")
        if state is not None and state.builder.is_alive:
            raise LabMistake(f"lab {directory.name} is already being brought up by process {state.builder.pid}")
        _end_processes(directory)


def _build(directory: LabDirectory, state: State, lab_plan: Plan) -> State:
    parent_socket, supervisor_socket = socket.socketpair()
    parent_socket.settimeout(_ANSWER_TIMEOUT_S)
    channel = ControlChannel(parent_socket)
    with parent_socket:
        with supervisor_socket, directory.new_log() as log:
            launcher = subprocess.Popen(
                [*_PYTHON, SUPERVISOR, str(supervisor_socket.fileno())],
                pass_fds=(supervisor_socket.fileno(), directory.descriptor), stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        _send(channel, {"user_namespace": state.user_namespace, "plan": plan_to_json(lab_plan)})
        state = replace(
            state, supervisor=find_process(_receive(channel, directory)["supervisor"]), phase=Phase.building
        )
        directory.write(state)
        launcher.wait()
        _send(channel, {"go": True})
        pids = _receive(channel, directory)["nodes"]
        state = replace(state, nodes={name: _node_process(name, pair[0]) for name, pair in pids.items()})
        directory.write(state)
        _receive(channel, directory)
        directory.write(state.at(Phase.up))
        _send(channel, {"stay": True})
        return state.at(Phase.up)


def _node_process(name: str, pid: int) -> Process:
    process = find_process(pid)
    if process is None:
        raise LabFault(f"{name}: process {pid} does not exist; is the /proc of another process namespace mounted here?")
    return process


def _send(channel: ControlChannel, message: Mapping[str, Any]) -> None:
    try:
        channel.send(message)
    except OSError as fault:
        raise LabFault(f"the lab's supervisor is gone ({fault.strerror})") from fault


def _receive(channel: ControlChannel, directory: LabDirectory) -> Mapping[str, Any]:
    """The supervisor's next message. Raises LabFault with the reason if it reports a fault, ends, or does not reply."""
    try:
        message = channel.receive()
    except TimeoutError:
        raise LabFault(f"the lab's supervisor did not reply within {_ANSWER_TIMEOUT_S:.0f} s") from None
    if message is None:
        raise LabFault(f"the lab's supervisor ended: {directory.last_log_line() or 'it was killed'}")
    if "fault" in message:
        raise LabFault(str(message["fault"]))
    return message


def down(name: str) -> bool:
    """End the lab and remove its directory. Returns whether there was one. Raises LabFault if the lab does not end."""
    directory = LabDirectory(name)
    if not directory.exists:
        directory.clear_above()
        return False
    _tear_down(directory)
    return True


def _tear_down(directory: LabDirectory) -> None:
    directory.unlock()
    if not directory.lock():
        _end_processes(directory)
    directory.clear()
    directory.unlock()
    schedule_as_usual()


def _end_processes(directory: LabDirectory) -> None:
    """Kill the supervisor and a concurrent `up`, and wait until all processes of the lab have ended."""
    for _ in range(2):  # a concurrent `up` may record its supervisor after the first kill
        directory.kill()
        if directory.lock(within_s=_EXIT_TIMEOUT_S / 2):
            return
    raise LabFault(f"lab {directory.name}: its processes do not end; {directory.path / 'state.json'} names them")


def running_lab(name: str) -> RunningLab:
    """The lab of this name. Raises LabMistake if it is not up."""
    directory = LabDirectory(name)
    state = directory.read() if directory.exists and directory.is_held() else None
    if state is None or state.phase is not Phase.up:
        raise LabMistake(f"lab {name} is not up; `stressbench lab up {name}` brings it up")
    return RunningLab(lab=parse_lab(state.text, name=state.name, source=state.source), state=state)


def selected_lab(name: str | None) -> RunningLab:
    """The lab of this name, or the only lab that is up if `name` is None. Raises LabMistake if that is ambiguous."""
    if name is not None:
        return running_lab(name)
    names = labs_up()
    if not names:
        raise LabMistake("no lab is up; `stressbench lab up tiny` starts one")
    if len(names) > 1:
        raise LabMistake(f"several labs are up: {', '.join(names)}; choose one with --lab NAME")
    return running_lab(names[0])


def labs_up() -> tuple[str, ...]:
    """Names of this user's labs that are up."""
    return tuple(
        directory.name
        for directory in lab_directories()
        if directory.is_held() and (state := directory.read()) and state.phase is Phase.up
    )


def command_prefix(running: RunningLab, node: str, *, awake: bool = False) -> tuple[str, ...]:
    """Prefix of a command line that runs the command on a node. Raises LabMistake if the lab has no such node.

    `awake`: idle cores of this machine do not halt while it runs.
    """
    running.holder(node)
    options = (AWAKE,) if awake else ()
    return (*_PYTHON, "stressbench.labs.enter", *options, str(LabDirectory(running.state.name).path), node)
