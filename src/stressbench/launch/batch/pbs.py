"""PBS: the `mpirun` of the engine's MPI starts ranks on the hosts of $PBS_NODEFILE, `qsub` submits scripts."""

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
"""The host file in a script, a variable that the shell expands."""


@dataclass(frozen=True, kw_only=True)
class PbsTarget(Allocation):
    """A job of PBS. `hosts`: the host file provided by PBS."""

    hosts: str

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """The mpirun that matches the engine. Raises LaunchMistake."""
        return find_launcher(mpirun=mpirun, library=library)

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command, with the host file, so that an mpirun built without PBS support finds the hosts as well."""
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
            "--on pbs: this is not a PBS job (PBS_JOBID and PBS_NODEFILE are not set); "
            "`qsub -I -l select=4` gives one, and --emit writes a script for qsub"
        )
    try:
        hosts = read_text(Path(file), limit=limits.OUTPUT, errors="replace").split()
    except OSError as fault:
        raise LaunchMistake(f"--on pbs: PBS_NODEFILE: {file}: {fault.strerror}") from fault
    return PbsTarget(nodes=len(set(hosts)) or None, ranks=len(hosts) or None, hosts=file)


def script_target(request: BatchRequest) -> PbsTarget:
    """The target for a batch script."""
    return PbsTarget(nodes=request.nodes, hosts=_NODEFILE_VARIABLE)


def directives(request: BatchRequest, *, ranks: int) -> tuple[str, ...]:
    """Directives for qsub. Requested nodes are exclusive, since other jobs there would disturb measured times."""
    ranks_per_node = request.ranks_per_node(ranks)
    chunk, count = (1, ranks) if ranks_per_node is None else (ranks_per_node, request.nodes)
    chunks = f"-l select={count}:ncpus={chunk}:mpiprocs={chunk}"
    placement = () if request.nodes is None else ("-l place=scatter:excl",)
    options = (("-l walltime=", request.walltime_text), ("-q ", request.queue), ("-A ", request.account))
    lines = (f"{option}{value}" for option, value in options if value is not None)
    return tuple(f"#PBS {directive}" for directive in (f"-N {request.name}", chunks, *placement, *lines))


def line(command: Command) -> str:
    """The lines that start ranks. PBS starts scripts in the home directory, so they change to that of submission."""
    words = (f'"{_NODEFILE_VARIABLE}"' if word == _NODEFILE_VARIABLE else shlex.quote(word) for word in command.argv)
    setting = (f"{name}={shlex.quote(value)}" for name, value in command.environment)
    return 'cd "$PBS_O_WORKDIR" || exit\n' + " ".join((*setting, *words))
