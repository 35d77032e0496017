"""An MPI program on a launch target: the engine, or another program built with the same MPI."""

import os
from collections.abc import Mapping
from pathlib import Path

from stressbench.formats.errors import reason_of
from stressbench.launch import machine
from stressbench.launch.command import Command
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome, execute
from stressbench.launch.find import find_engine, library_of
from stressbench.launch.launch_target import LaunchTarget, build_beside
from stressbench.launch.local import Request
from stressbench.launch.steering import Steering, steered

_IN_FOLDER = ("sh", "-c", 'cd "$0" && exec "$@"')


def request_of(
    program: tuple[str, ...],
    *,
    ranks: int,
    target: LaunchTarget,
    environment: Mapping[str, str],
    extra: tuple[str, ...] = (),
    realtime: bool = False,
) -> Request:
    """The request to start a program, with the properties of this machine and of the launch target."""
    return Request(
        ranks=ranks,
        program=program,
        cores=machine.cores(),
        extra=extra,
        as_root=os.geteuid() == 0,
        realtime=realtime or (target.takes_turns and machine.allows_realtime()),
        allocated=machine.allocated(environment),
    )


def run_program(
    words: tuple[str, ...],
    *,
    folder: Path,
    ranks: int,
    target: LaunchTarget,
    engine: Path | None,
    environment: Mapping[str, str],
    steering: Steering | None = None,
) -> Outcome:
    """Run a program that is built with the engine's MPI to its end. `folder`: working directory of its ranks.

    Must be called from the main thread. Raises LaunchMistake where the program cannot be started.
    """
    command = command_of(
        words, folder=folder, ranks=ranks, target=target, engine=engine, environment=environment, steering=steering
    )
    try:
        return execute(command)
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
    steering: Steering | None = None,
    others: int = 0,
) -> Command:
    """The command that starts a program built with the engine's MPI. `folder`: working directory of its ranks.

    `others`: ranks of another launch that run on the target at the same time. Raises LaunchMistake.
    """
    found = find_engine(given=engine, environment=environment)
    launcher = target.launcher(given=None, library=library_of(found))
    request = request_of((*_IN_FOLDER, str(folder), *words), ranks=ranks, target=target, environment=environment)
    if steering is not None:
        request = steered(
            request, steering, library=launcher.recognised, engine=found, ranks_per_node=None, environment=environment
        )
    return build_beside(target, launcher=launcher, request=request, others=others)
