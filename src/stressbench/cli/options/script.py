"""Options of `stressbench run --emit`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from stressbench.launch.batch_script import BatchScript, batch_script
from stressbench.launch.errors import LaunchMistake


@dataclass(frozen=True, kw_only=True)
class ScriptOptions:
    """Options to print a batch script instead of running the workload."""

    emit: Annotated[
        bool,
        typer.Option("--emit", help="Check, print a script for the batch system of --on, and exit."),
    ] = False
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="In a script: number of nodes, with ranks spread evenly over them.")
    ] = None
    walltime: Annotated[
        str | None,
        typer.Option(metavar="T", help="In a script: time limit of the job; the engine ends the run before it."),
    ] = None
    queue: Annotated[
        str | None,
        typer.Option("--queue", "--partition", metavar="NAME", help="In a script: queue or partition."),
    ] = None
    account: Annotated[
        str | None, typer.Option(metavar="NAME", help="In a script: account, project or bank to charge.")
    ] = None
    requeue: Annotated[
        bool,
        typer.Option(
            "--requeue",
            help="In a script for Slurm: the job may be requeued, as after preemption, and then continues its run.",
        ),
    ] = False

    def script(self, *, on: str, name: str) -> BatchScript | None:
        """The batch script; None without --emit. Raises LaunchMistake."""
        if self.emit:
            return batch_script(
                on, name=name, nodes=self.nodes, walltime=self.walltime, queue=self.queue, account=self.account,
                requeue=self.requeue,
            )  # fmt: skip
        given = (
            ("--nodes", self.nodes), ("--walltime", self.walltime), ("--queue", self.queue),
            ("--account", self.account),
        )  # fmt: skip
        for option, value in given:
            if value is not None:
                raise LaunchMistake(f"{option} {value}: only applies to a script (--emit); an allocation has its own")
        if self.requeue:
            raise LaunchMistake("--requeue: only applies to a script (--emit); an allocation has its own")
        return None
