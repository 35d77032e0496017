"""A batch script instead of a launch (`stressbench run --emit`)."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from stressbench.launch.batch import BatchSystem, batch_systems, require_words_of_script, script
from stressbench.launch.batch_request import BatchRequest, batch_request
from stressbench.launch.command import Command
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LaunchTarget


@dataclass(frozen=True, kw_only=True)
class BatchScript:
    """A script for one batch system, and the resources that it requests."""

    system: BatchSystem
    request: BatchRequest

    @property
    def target(self) -> LaunchTarget:
        """The target on which its ranks will start."""
        return self.system.script_target(self.request)

    def engine_limit(self, time_limit: str | None) -> str | None:
        """The engine's time limit: as given, or else early enough for a clean end within the wall time."""
        return self.request.engine_limit(time_limit)

    def text(
        self, command: Command, *, ranks: int, run_file: Path, continuing_command: Command | None = None
    ) -> str:  # fmt: skip
        """The script. `continuing_command`: continues the run of a job that was requeued.

        Raises LaunchMistake where a word cannot be part of a script.
        """
        afterwards = f"`stressbench show {shlex.quote(str(run_file))}` shows what was measured"
        lines = self.system.line(command)
        if continuing_command is not None:
            require_words_of_script(continuing_command)
            assert self.system.requeued_lines is not None
            lines = self.system.requeued_lines(lines, self.system.line(continuing_command), run_file=run_file)
        return script(self.system, self.request, ranks=ranks, command=command, afterwards=afterwards, lines=lines)


def batch_script(
    on: str, *, name: str, nodes: int | None, walltime: str | None, queue: str | None, account: str | None,
    requeue: bool = False,
) -> BatchScript:  # fmt: skip
    """A script for the batch system `on`. `name`: name of the job. Raises LaunchMistake."""
    if (system := batch_systems().get(on)) is None:
        systems = " or ".join(f"--on {known}" for known in batch_systems())
        raise LaunchMistake(f"--emit: {systems} says for which batch system; --on {on} needs no script")
    if requeue and system.requeued_lines is None:
        names = " or ".join(f"--on {one.name}" for one in batch_systems().values() if one.requeued_lines is not None)
        raise LaunchMistake(f"--requeue: --on {on}: scripts that continue their run are written for {names} only")
    request = batch_request(
        stem=name, nodes=nodes, walltime=walltime, queue=queue, account=account, requeue=requeue
    )  # fmt: skip
    return BatchScript(system=system, request=request)
