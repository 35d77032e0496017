"""An MPI program on a launch target: the engine, or another program built with the same MPI."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from stressbench.formats.errors import reason_of
from stressbench.formats.ranges import MAX_NUMBERS
from stressbench.launch import machine
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome, execute
from stressbench.launch.find import find_engine, library_of
from stressbench.launch.launch_target import LaunchTarget, build_concurrent
from stressbench.launch.local import Request
from stressbench.launch.output_pipe import unused_path
from stressbench.launch.rail_selection import RailSelection, with_rail_selection

_IN_FOLDER = ("sh", "-c", 'cd "$0" && exec "$@"')
_PRINTING_TO = ("sh", "-c", 'exec "$@" >"$0"')


def request_of(
    program: tuple[str, ...],
    *,
    ranks: int,
    target: LaunchTarget,
    environment: Mapping[str, str],
    extra: tuple[str, ...] = (),
    realtime: bool = False,
    ranks_per_node: int | None = None,
) -> Request:
    """The request to start a program, with the properties of this machine and of the launch target.

    Raises LaunchMistake for more ranks than a run file can have.
    """
    if ranks > MAX_NUMBERS:
        raise LaunchMistake(f"{ranks} ranks: expected at most {MAX_NUMBERS}")
    return Request(
        ranks=ranks,
        program=program,
        cores=machine.cores(),
        extra=extra,
        as_root=os.geteuid() == 0,
        realtime=realtime or (target.realtime_by_default and machine.allows_realtime()),
        allocated=machine.allocated(environment),
        ranks_per_node=ranks_per_node,
    )


def run_program(
    words: tuple[str, ...],
    *,
    folder: Path,
    ranks: int,
    target: LaunchTarget,
    engine: Path | None,
    environment: Mapping[str, str],
    rail_selection: RailSelection | None = None,
    output_to: int = 1,
) -> Outcome:
    """Run a program that is built with the engine's MPI to its end. `folder`: working directory of its ranks.

    Its standard output goes to the descriptor `output_to`.

    Must be called from the main thread. Raises LaunchMistake where the program cannot be started.
    """
    command = command_of(
        words,
        folder=folder,
        ranks=ranks,
        target=target,
        engine=engine,
        environment=environment,
        rail_selection=rail_selection,
    )
    try:
        return execute(command, output_to=output_to)
    except OSError as fault:
        raise LaunchMistake(f"{command.argv[0]}: {reason_of(fault)}") from fault


def command_of(
    words: tuple[str, ...],
    *,
    folder: Path,
    ranks: int,
    target: LaunchTarget,
    engine: Path | None,
    environment: Mapping[str, str],
    rail_selection: RailSelection | None = None,
    concurrent_ranks: int = 0,
    launcher: Launcher | None = None,
    extra: tuple[str, ...] = (),
) -> Command:
    """The command that starts a program built with the engine's MPI. `folder`: working directory of its ranks.

    `concurrent_ranks`: ranks of another launch that run on the target at the same time. `launcher`: None: that of the
    engine's MPI. `extra`: options for it. Ranks with real-time priority print to a pipe. Raises LaunchMistake.
    """
    engine_path = find_engine(explicit=engine, environment=environment)
    launcher = launcher or target.launcher(mpirun=None, library=library_of(engine_path))
    output_pipe = unused_path() if target.realtime_by_default else None
    if output_pipe is not None:
        words = (*_PRINTING_TO, str(output_pipe), *words)
    request = request_of(
        (*_IN_FOLDER, str(folder), *words), ranks=ranks, target=target, environment=environment, extra=extra
    )  # fmt: skip
    if rail_selection is not None:
        request = with_rail_selection(
            request,
            rail_selection,
            library=launcher.recognised,
            engine=engine_path,
            ranks_per_node=None,
            environment=environment,
        )
    command = build_concurrent(target, launcher=launcher, request=request, concurrent_ranks=concurrent_ranks)
    return replace(command, output_pipe=output_pipe)
