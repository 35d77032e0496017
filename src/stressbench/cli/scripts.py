"""What `--emit` and its options mean: a batch script in the place of a run."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from stressbench.launch.batch import BatchSystem, batch_systems, script
from stressbench.launch.command import Command
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.place import Place
from stressbench.launch.wanted import Wanted, wanted


@dataclass(frozen=True, kw_only=True)
class Order:
    """A script that is wished for."""

    system: BatchSystem
    wanted: Wanted
    run_file: Path

    @property
    def place(self) -> Place:
        """Where its ranks will start."""
        return self.system.planned(self.wanted)

    def script(self, command: Command, *, ranks: int) -> str:
        """The text."""
        afterwards = f"`stressbench show {shlex.quote(str(self.run_file))}` shows what was measured"
        return script(self.system, self.wanted, ranks=ranks, command=command, afterwards=afterwards)


def order_of(
    *,
    emit: bool,
    on: str,
    name: str,
    run_file: Path,
    nodes: int | None,
    walltime: str | None,
    queue: str | None,
    account: str | None,
) -> Order | None:
    """None without `--emit`; `name` is that of the job. Raises LaunchMistake."""
    typed = {"--nodes": nodes, "--walltime": walltime, "--queue": queue, "--account": account}
    if not emit:
        for option, value in typed.items():
            if value is not None:
                raise LaunchMistake(f"{option} {value}: goes into a script, with --emit; an allocation has its own")
        return None
    if (system := batch_systems().get(on)) is None:
        systems = " or ".join(f"--on {name}" for name in batch_systems())
        raise LaunchMistake(f"--emit: {systems} says for which batch system; --on {on} needs no script")
    asked = wanted(stem=name, nodes=nodes, walltime=walltime, queue=queue, account=account)
    return Order(system=system, wanted=asked, run_file=run_file)
