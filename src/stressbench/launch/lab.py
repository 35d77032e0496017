"""The launch targets `lab:NAME`: a command that enters a lab that is up and starts `mpirun` there.

The environment that the lab sets for all its processes tells MPI how to find the lab's hosts and links.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from pathlib import Path

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.lab.paths import CORES, NUMA
from stressbench.formats.units import RateShare
from stressbench.labs.catalog import lab_file
from stressbench.labs.counters import LabCounters, bytes_by_nic, link_directions, read_counters
from stressbench.labs.errors import LabFault
from stressbench.labs.file import read_lab
from stressbench.labs.lifecycle import RunningLab, command_prefix, running_lab
from stressbench.labs.link_control import LinkChange, apply_change
from stressbench.labs.pinning import cores_of_part
from stressbench.labs.status import LinkDirection
from stressbench.labs.subset import with_rails, with_rate_share
from stressbench.labs.topology import Lab, Node
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake, LinkMistake
from stressbench.launch.find import find_launcher
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.launch_target import NicNumbers, TargetProperties
from stressbench.launch.local import REALTIME, Request, require_real_ranks
from stressbench.launch.rail_scripts import bound_to_cores, bound_to_socket

_NUMA_OF_HOST = f"{NUMA}/$(hostname)"
_WORKLOAD_VARIABLES = frozenset({"SCRATCH", "TMPDIR"})


def shares(hosts: tuple[Node, ...], ranks: int) -> tuple[tuple[str, int], ...]:
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


def ranks_per_node(hosts: tuple[Node, ...], ranks: int) -> int | str:
    """Ranks of each host in use; a list such as `16(x3),8` unless all but the last have the same, and it no more."""
    counts = [count for _, count in shares(hosts, ranks)]
    if len(set(counts[:-1])) <= 1 and counts[-1] <= counts[0]:
        return counts[0]
    runs = ((count, len(list(run))) for count, run in groupby(counts))
    return ",".join(str(count) if length == 1 else f"{count}(x{length})" for count, length in runs)


def _list_of(cores: tuple[int, ...]) -> str:
    return ",".join(map(str, cores))


def _rma_options(flavour: Flavour) -> tuple[str, ...]:
    """Options for MPI windows: Open MPI 4.1 chooses osc/rdma between hosts, which fails in a lab (MPI_ERR_WIN)."""
    return ("--mca", "osc", "^rdma") if flavour is Flavour.openmpi4 else ()


@dataclass(frozen=True, kw_only=True)
class LabTarget:
    """A lab that is up. `enter`: command prefix for running on a host, whose name follows.

    `environment`: variables of the lab that workloads may name. `nics`: the NICs of each host. `selected_nics`: the
    NICs that messages may use, None: all. With several `sockets`, the ranks of a host are bound to them in turns.
    `cores`: the machine's cores of each host of the lab. `own_cores`: those that ranks use instead of these, as texts.
    """

    name: str
    hosts: tuple[Node, ...]
    enter: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    selected_nics: tuple[str, ...] | None = None
    nics: tuple[str, ...] = ()
    sockets: int = 1
    cores: tuple[tuple[str, tuple[int, ...]], ...] = ()
    own_cores: tuple[tuple[str, str], ...] = ()
    realtime_by_default: bool = True
    stall_limit: str | None = "60s"
    simulated: bool = False
    on_simgrid: bool = False
    continues_runs: bool = True
    on_this_machine: bool = True

    @property
    def numa_sysfs(self) -> str | None:
        """The files of the lab, each host's below its name; None for hosts with one socket."""
        return None if self.sockets == 1 else _NUMA_OF_HOST

    @property
    def cores_of_ranks(self) -> frozenset[int]:
        """Those of the hosts in use, or the parts of them that ranks use instead."""
        instead, hosts = dict(self.own_cores), {host.name for host in self.hosts}
        lists = {_list_of(cores) for name, cores in self.cores if name in hosts}
        return frozenset(int(core) for cores in lists for core in instead.get(cores, cores).split(","))

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

    def ranks_per_node(self, request: Request, *, explicit: int | None) -> int | str | None:
        """As typed, or else the ranks of each host in use."""
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
        return replace(self, hosts=tuple(replace(host, cores=1) for host in self.hosts[:hosts]))

    def on_hosts(self, hosts: range) -> "LabTarget":
        """The lab with only these hosts. The launcher runs on the first of them."""
        return replace(self, hosts=tuple(self.hosts[number] for number in hosts))

    def on_own_cores(self, part: int, *, of: int) -> "LabTarget":
        """The lab with one of `of` equal parts of its cores, unless no other host has the cores of these hosts.

        The same lab where there are fewer cores than parts, and where ranks are bound to sockets.
        """
        hosts = {host.name for host in self.hosts}
        mine, others = (
            {core for name, cores in self.cores if (name in hosts) is inside for core in cores}
            for inside in (True, False)
        )
        if self.sockets > 1 or len(mine | others) < of or (others and not mine & others):
            return self
        instead = (
            (_list_of(cores), _list_of(cores_of_part(cores, part, of=of, available=mine | others)))
            for cores in sorted({cores for _, cores in self.cores})
        )
        return replace(self, own_cores=tuple(instead))

    def with_concurrent_ranks(self, request: Request, *, launcher: Launcher, concurrent_ranks: int) -> Request:  # noqa: ARG002  a LaunchTarget's
        """The request unchanged, since ranks in labs are not bound to cores, or all alike to sockets."""
        return request

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command. Raises LaunchMistake."""
        require_real_ranks(launcher, request)
        program = (*(REALTIME if request.realtime else ()), *self._binding(), *request.program)
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
        return Command(argv=(*self.enter, self.hosts[0].name, *mpirun, *program))

    def _binding(self) -> tuple[str, ...]:
        if self.sockets > 1:
            return bound_to_socket(self.sockets, folder=_NUMA_OF_HOST)
        return bound_to_cores(self.own_cores, folder=CORES) if self.own_cores else ()

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


class LabLinkMeter:
    """Measures the use of a lab's links by the counters of the kernel."""

    def __init__(self, running: RunningLab) -> None:
        self._running = running
        self._before: LabCounters | None = None

    def reset(self) -> None:
        """Begin a measurement."""
        self._before = self._reading()

    def used(self) -> tuple[LinkDirection, ...] | None:
        """The use of each direction of each link since `reset`. None: the counters could not be read."""
        now = self._reading()
        return None if now is None or self._before is None else link_directions(now, before=self._before)

    def _reading(self) -> LabCounters | None:
        try:
            return read_counters(self._running)
        except LabFault:
            return None


class RunningLabs:
    """Provides the targets `lab:NAME`."""

    properties = TargetProperties(form="lab:NAME", controls_links=True, keeps_rate=True, counts_all_hosts=True)

    def target(
        self,
        on: str,
        *,
        environment: Mapping[str, str],  # noqa: ARG002  a TargetProvider's
        rate: RateShare | None,
        rails: int | None,
    ) -> LabTarget:
        """The lab that is up under this name. `rate` is only checked, `set_rate` applies it. Raises LaunchMistake."""
        name = name_in(on)
        with as_launch_mistakes(on):
            running = running_lab(name)
            *enter, _ = command_prefix(running, running.lab.hosts[0].name, awake=True)
        reduced = reduced_lab(running.lab, on=on, rate=rate, rails=rails)
        return LabTarget(
            name=name,
            selected_nics=None
            if rails is None or running.lab.rails == 1
            else tuple(f"eth{rail}" for rail in range(reduced.rails)),
            nics=tuple(f"eth{rail}" for rail in range(running.lab.rails)),
            sockets=running.lab.sockets,
            cores=tuple(running.state.cores.items()),
            enter=tuple(enter),
            hosts=running.lab.hosts,
            environment=tuple(
                (key, value) for key, value in running.state.environment.items() if key in _WORKLOAD_VARIABLES
            ),
        )

    def set_rate(self, on: str, share: Fraction) -> None:
        """Set all links to this share of the rates in the lab's file. Raises LaunchMistake."""
        with as_launch_mistakes(on):
            running = running_lab(name_in(on))
            apply_change(running, running.lab.links, LinkChange(share=float(share)))

    def nic_totals(self, on: str) -> Mapping[str, tuple[int, int]] | None:
        """Bytes sent and received by NIC, summed over the hosts; None where the counters cannot be read."""
        try:
            running = running_lab(name_in(on))
            return bytes_by_nic(running.lab, read_counters(running))
        except (LabMistake, LabFault):
            return None

    def nic_numbers(self, on: str) -> NicNumbers:
        """NIC numbers from the lab's file; empty where none has this name."""
        try:
            lab = read_lab(lab_file(name_in(on)))
        except LabMistake:
            return {}
        hosts = {host.name for host in lab.hosts}
        return {(link.name, end.node): link.rail for link in lab.links for end in link.ends if end.node in hosts}

    def link_meter(self, on: str) -> LabLinkMeter:
        """A meter of the lab's links. Raises LaunchMistake."""
        with as_launch_mistakes(on):
            return LabLinkMeter(running_lab(name_in(on)))


def name_in(on: str) -> str:
    """The name in `lab:NAME`."""
    return on.partition(":")[2]


@contextmanager
def as_launch_mistakes(on: str) -> Iterator[None]:
    """Context that turns errors of labs into LaunchMistake."""
    try:
        yield
    except (LabMistake, LabFault) as mistake:
        raise LaunchMistake(*(f"--on {on}: {line}" for line in mistake.args)) from mistake


def reduced_lab(lab: Lab, *, on: str, rate: RateShare | None, rails: int | None) -> Lab:
    """The lab at a share of its rates and with its first rails. Raises LinkMistake."""
    if rails is not None:
        with _link_mistakes("rails", rails, on=on):
            lab = with_rails(lab, rails)
    if rate is not None:
        with _link_mistakes("rate", rate, on=on):
            lab = with_rate_share(lab, float(rate.value))
    return lab


@contextmanager
def _link_mistakes(factor: str, value: object, *, on: str) -> Iterator[None]:
    try:
        yield
    except LabMistake as mistake:
        raise LinkMistake(on=on, factor=factor, explanation=f"{value}: {mistake}") from mistake
