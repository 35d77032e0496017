"""Launches on the hosts of a lab: a command that enters the lab and starts `mpirun` there. Pure.

The environment that the lab sets for all its processes tells MPI how to find the lab's hosts and links.
"""

import math
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LinkMistake
from stressbench.launch.find import find_launcher
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.local import REALTIME, Request, require_real_ranks


@dataclass(frozen=True, kw_only=True)
class LabHost:
    """A host of the lab. `cores`: the number of ranks that it should have."""

    name: str
    cores: int


def shares(hosts: tuple[LabHost, ...], ranks: int) -> tuple[tuple[str, int], ...]:
    """Consecutive ranks of each host: as many as its cores, or all hosts alike if there are more ranks than cores."""
    total = sum(host.cores for host in hosts)
    even_share = math.ceil(ranks / len(hosts))
    ranks_by_host, remaining = [], ranks
    for host in hosts:
        count = min(remaining, host.cores if ranks <= total else even_share)
        remaining -= count
        if count:
            ranks_by_host.append((host.name, count))
    return tuple(ranks_by_host)


def ranks_per_node(hosts: tuple[LabHost, ...], ranks: int) -> int | None:
    """Ranks of each host in use, None unless all but the last have the same number and the last has no more."""
    counts = [count for _, count in shares(hosts, ranks)]
    is_even = len(set(counts[:-1])) <= 1 and counts[-1] <= counts[0]
    return counts[0] if is_even else None


def _rma_options(flavour: Flavour) -> tuple[str, ...]:
    """Options for MPI windows: Open MPI 4.1 chooses osc/rdma between hosts, which fails in a lab (MPI_ERR_WIN)."""
    return ("--mca", "osc", "^rdma") if flavour is Flavour.openmpi4 else ()


@dataclass(frozen=True, kw_only=True)
class LabTarget:
    """A lab that is up. `enter`: command prefix for running on the lab's first host.

    `environment`: variables of the lab that workloads may name. `nics`: the NICs of each host. `selected_nics`: the
    NICs that messages may use, None: all.
    """

    name: str
    hosts: tuple[LabHost, ...]
    enter: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    selected_nics: tuple[str, ...] | None = None
    nics: tuple[str, ...] = ()
    realtime_by_default: bool = True
    stall_limit: str | None = "60s"
    simulated: bool = False
    on_this_machine: bool = True

    @property
    def ranks(self) -> int | None:
        """One per core of each host."""
        return sum(host.cores for host in self.hosts)

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """An mpirun of this machine, whose files the lab sees. Raises LaunchMistake."""
        return find_launcher(mpirun=mpirun, library=library)

    def knows_nodes(self, request: Request) -> bool:
        """True unless options for mpirun name hosts."""
        return not request.names_hosts

    def ranks_per_node(self, request: Request, *, explicit: int | None) -> int | None:
        """As typed, or else the ranks of each host in use, None unless all but the last have the same number."""
        if explicit is not None or request.names_hosts:
            return explicit
        return ranks_per_node(self.hosts, request.ranks)

    def shares(self, ranks: int) -> tuple[tuple[str, int], ...]:
        """Names of hosts with their numbers of consecutive ranks."""
        return shares(self.hosts, ranks)

    @property
    def host_count(self) -> int | None:
        """Number of hosts of the lab."""
        return len(self.hosts)

    def one_rank_per_host(self, hosts: int) -> "LabTarget":
        """The lab with only its first `hosts` hosts, and one rank on each."""
        return replace(self, hosts=tuple(LabHost(name=host.name, cores=1) for host in self.hosts[:hosts]))

    def with_concurrent_ranks(self, request: Request, *, launcher: Launcher, concurrent_ranks: int) -> Request:  # noqa: ARG002  a LaunchTarget's
        """The request unchanged, since ranks in labs are never bound."""
        return request

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command. Raises LaunchMistake."""
        require_real_ranks(launcher, request)
        program = (REALTIME if request.realtime else ()) + request.program
        host_options = () if request.names_hosts else self._host_options(launcher.flavour, request.ranks)
        mpirun = (
            str(launcher.path),
            "-n",
            str(request.ranks),
            *host_options,
            *_rma_options(launcher.flavour),
            *self._nic_options(launcher),
            *request.extra,
        )
        return Command(argv=(*self.enter, *mpirun, *program))

    def _host_options(self, flavour: Flavour, ranks: int) -> tuple[str, ...]:
        hosts = ",".join(f"{host}:{count}" for host, count in self.shares(ranks))
        if flavour.is_openmpi:
            return ("--host", hosts, "--map-by", "slot", "--bind-to", "none")
        return ("-hosts", hosts)

    def _nic_options(self, launcher: Launcher) -> tuple[str, ...]:
        """Options that select NICs, which override the lab's environment. Raises LinkMistake for other MPIs."""
        if self.selected_nics is None:
            return ()
        if not launcher.flavour.is_openmpi:
            count = len(self.selected_nics)
            explanation = f"{count}: {launcher.recognised} chooses NICs by itself; expected an engine with Open MPI"
            raise LinkMistake(on=f"lab:{self.name}", factor="rails", explanation=explanation)
        return ("--mca", "btl_tcp_if_include", ",".join(self.selected_nics))

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:
        """A warning where ranks share cores, else None."""
        if request.ranks <= request.cores:
            return None
        shared = f"{request.ranks} ranks on lab {self.name} share {request.cores} cores"
        if launcher.flavour.is_hydra:
            return f"{shared}, and {launcher.recognised} spins while it waits; Open MPI is much faster here"
        if not request.realtime:
            return f"{shared} and do not take turns (needs root or CAP_SYS_NICE): small messages wait for a core"
        return None
