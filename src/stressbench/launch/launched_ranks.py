"""A short launch of the engine that describes its ranks (`stressbench-mpi ranks`)."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.errors import Interrupted
from stressbench.formats.errors import reason_of
from stressbench.formats.run.launched_ranks import (
    DirectoriesLine,
    DirectoryCheck,
    LaunchLine,
    MessagesLine,
    RankMessages,
    ranks_lines_in,
)
from stressbench.launch.command import Command
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import Outcome, start_launch, wait_for_launch
from stressbench.launch.stopping import StopPolicy
from stressbench.stop_signals import held_signals


@dataclass(frozen=True, kw_only=True)
class ObservedLaunch:
    """A launch that ended. `jobs`: the MPI jobs that it started, one unless each rank became a job of its own.

    `messages` and `directories` are empty where the ranks did not get that far. `timed_out`: it was ended at its limit.
    """

    command: Command
    outcome: Outcome
    timed_out: bool
    jobs: tuple[LaunchLine, ...]
    messages: tuple[RankMessages, ...]
    directories: tuple[DirectoryCheck, ...]


def ranks_arguments(engine: Path, directories: Sequence[Path]) -> tuple[str, ...]:
    """The program that describes its ranks. All hosts look for a file that rank 0 creates in the directories."""
    return (str(engine), "ranks", *(word for one in directories for word in ("--directory", str(one))))


def observe_launch(command: Command, *, limit_s: float) -> ObservedLaunch:
    """Run the command, which starts `ranks_arguments`, for at most `limit_s` seconds. What it prints is not shown.

    Must be called from the main thread. Raises LaunchMistake if it cannot be started, Interrupted at a stop signal.
    """
    arrived: list[int] = []
    policy = StopPolicy(grace_s=0.0, limit_s=limit_s)
    with tempfile.TemporaryFile() as output, Path(os.devnull).open("wb") as nowhere:
        with held_signals() as signals:
            try:
                launch = start_launch(command, stop_policy=policy, log=lambda _: None)
            except OSError as fault:
                raise LaunchMistake(f"{command.argv[0]}: {reason_of(fault)}") from fault

            def end(number: int, _: object) -> None:
                arrived.append(number)
                launch.end_now()

            signals.pass_to(end)
            outcome = wait_for_launch(launch, output_to=output.fileno(), errors_to=nowhere.fileno())
        if arrived:
            raise Interrupted("interrupted: the launch was ended")
        output.seek(0)
        lines = tuple(ranks_lines_in(output.read()))
    return ObservedLaunch(
        command=command, outcome=outcome, timed_out=outcome.stop_requests > 0,
        jobs=tuple(line for line in lines if isinstance(line, LaunchLine)),
        messages=next((line.ranks for line in lines if isinstance(line, MessagesLine)), ()),
        directories=next((line.directories for line in lines if isinstance(line, DirectoriesLine)), ()),
    )  # fmt: skip
