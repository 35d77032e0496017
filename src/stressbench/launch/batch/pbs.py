"""PBS: the engine's own `mpirun` starts ranks on the hosts of $PBS_NODEFILE, `qsub` takes scripts."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.formats.files import limits, read_text
from stressbench.launch import local
from stressbench.launch.allocation import Allocation
from stressbench.launch.batch_request import BatchRequest
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import find_launcher
from stressbench.launch.flavour import Recognised
from stressbench.launch.local import Request

ABOUT = "mpirun in a job of PBS"

_NODEFILE_VARIABLE = "$PBS_NODEFILE"
"""The file of hosts in a script, for the shell to fill in."""


@dataclass(frozen=True, kw_only=True)
class PbsTarget(Allocation):
    """A job; `hosts` is the file that PBS names them in."""

    hosts: str

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """The mpirun that fits the engine. Raises LaunchMistake."""
        return find_launcher(mpirun=mpirun, library=library)

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command. An mpirun that was built without PBS finds the hosts as well."""
        if request.names_hosts:
            return local.build(launcher=launcher, request=request)
        option = "-f" if launcher.flavour.is_hydra else "--hostfile"
        where = (option, self.hosts, *request.extra)
        return local.build(launcher=launcher, request=replace(request, extra=where))


def current_target(environment: Mapping[str, str]) -> PbsTarget:
    """The job that this process is in. Raises LaunchMistake."""
    file = environment.get("PBS_NODEFILE")
    if not environment.get("PBS_JOBID") or not file:
        raise LaunchMistake(
            "--on pbs: this is no job of PBS (PBS_JOBID and PBS_NODEFILE are not set); "
            "`qsub -I -l select=4` gives one, and --emit writes a script for qsub"
        )
    try:
        hosts = read_text(Path(file), limit=limits.OUTPUT, errors="replace").split()
    except OSError as fault:
        raise LaunchMistake(f"--on pbs: PBS_NODEFILE: {file}: {fault.strerror}") from fault
    return PbsTarget(nodes=len(set(hosts)) or None, ranks=len(hosts) or None, hosts=file)


def script_target(request: BatchRequest) -> PbsTarget:
    """What a script will be given."""
    return PbsTarget(nodes=request.nodes, hosts=_NODEFILE_VARIABLE)


def directives(request: BatchRequest, *, ranks: int) -> tuple[str, ...]:
    """For qsub. Whole nodes: jobs of others beside us would be in our times."""
    ranks_per_node = request.ranks_per_node(ranks)
    chunk, count = (1, ranks) if ranks_per_node is None else (ranks_per_node, request.nodes)
    chunks = f"-l select={count}:ncpus={chunk}:mpiprocs={chunk}"
    placement = () if request.nodes is None else ("-l place=scatter:excl",)
    options = (("-l walltime=", request.walltime_text), ("-q ", request.queue), ("-A ", request.account))
    lines = (f"{option}{value}" for option, value in options if value is not None)
    return tuple(f"#PBS {directive}" for directive in (f"-N {request.name}", chunks, *placement, *lines))


def line(command: Command) -> str:
    """PBS starts scripts in the home folder; those of the others start where they were handed in."""
    words = (f'"{_NODEFILE_VARIABLE}"' if word == _NODEFILE_VARIABLE else shlex.quote(word) for word in command.argv)
    setting = (f"{name}={shlex.quote(value)}" for name, value in command.environment)
    return 'cd "$PBS_O_WORKDIR" || exit\n' + " ".join((*setting, *words))
