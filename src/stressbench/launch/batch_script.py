"""A batch script instead of a launch (`stressbench run --emit`)."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from stressbench.launch.batch import BatchSystem, batch_systems, script
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

    def text(self, command: Command, *, ranks: int, run_file: Path) -> str:
        """The script. Raises LaunchMistake where a word cannot be part of a script."""
        afterwards = f"`stressbench show {shlex.quote(str(run_file))}` shows what was measured"
        return script(self.system, self.request, ranks=ranks, command=command, afterwards=afterwards)


def batch_script(
    on: str, *, name: str, nodes: int | None, walltime: str | None, queue: str | None, account: str | None
) -> BatchScript:
    """A script for the batch system `on`. `name`: name of the job. Raises LaunchMistake."""
    if (system := batch_systems().get(on)) is None:
        systems = " or ".join(f"--on {known}" for known in batch_systems())
        raise LaunchMistake(f"--emit: {systems} says for which batch system; --on {on} needs no script")
    request = batch_request(stem=name, nodes=nodes, walltime=walltime, queue=queue, account=account)
    return BatchScript(system=system, request=request)
