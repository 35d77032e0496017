"""The launch targets `simgrid:NAME`: simulated ranks on a simulated network, by the engine on SimGrid's MPI."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from stressbench.formats.lab.routing import Routing
from stressbench.formats.units import RateShare
from stressbench.labs.platform import PAYLOAD_SHARE, platform_of
from stressbench.labs.topology import Node
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import find_launcher
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.lab import as_launch_mistakes, ranks_per_node, shares
from stressbench.launch.launch_target import TargetProperties
from stressbench.launch.local import Request
from stressbench.launch.simulated import SimulatedLinks, find_built_program, require_simulatable, simulated_lab

ENGINE = "stressbench-simgrid"
ENGINE_VARIABLE = "STRESSBENCH_SIMGRID"
DESCRIPTION_VARIABLE = "STRESSBENCH_SIMULATION"  # read by engine/core/simulated/simulation.cpp
PLATFORM_VARIABLE = "STRESSBENCH_PLATFORM"  # read by engine/platform/platform.cpp

# Settings for a simulated network of Ethernet and TCP, like that of a lab (docs/how-to/simgrid.md).
NETWORK = (
    ("network/model", "CM02"),  # flows share links max-min fairly; no factors but those below
    ("network/bandwidth-factor", f"{float(PAYLOAD_SHARE):.6f}"),  # payload of a full frame
    ("network/latency-factor", "1"),
    ("network/weight-S", "0"),  # streams over one link share it evenly, whatever their latencies
    ("network/TCP-gamma", str(512 * 1024)),  # bytes that a lab's connection has in flight
    ("network/crosstraffic", "1"),  # acknowledgements take 1/20 of the reverse rate; in a lab, 66 of 1514 bytes
    ("network/loopback-bw", "10e9"),  # between ranks of one host: memory bandwidth, B/s
    ("network/loopback-lat", "1e-6"),
)
MPI = (
    ("smpi/simulate-computation", "no"),  # computation on this machine takes no simulated time
    ("smpi/privatization", "dlopen"),  # each rank has its own global variables
    ("smpi/coll-selector", "mpich"),  # algorithms of MPICH; those of Open MPI crash on one rank (SimGrid 3.32)
    ("smpi/send-is-detached-thresh", "65536"),  # Open MPI's eager limit over TCP: larger MPI_Sends block
    ("smpi/test", "1e-7"),  # time of one MPI_Test, instead of 100 us and more
    ("smpi/iprobe", "1e-7"),
    ("smpi/grow-injected-times", "no"),
)
# All buffers of messages have the same memory, and messages are not copied, as long as nothing reads them.
SHARED_PAYLOAD = (("smpi/shared-malloc", "global"), ("smpi/shared-malloc-blocksize", str(64 * 2**20)))
PRIVATE_PAYLOAD = (("smpi/shared-malloc", "off"),)
_QUIET = ("--log=root.thres:error",)


@dataclass(frozen=True, kw_only=True)
class SimulatedTarget:
    """A simulated lab. `platform`: text of the platform file. `source`: of the lab file. Both are written to `folder`.

    `environment`: where workloads find the file system of the I/O nodes, as on the lab. `how`: for notes.
    """

    name: str
    hosts: tuple[Node, ...]
    platform: str
    source: str
    folder: Path
    kind: str = "simgrid"
    how: str = ""
    routing: Routing = Routing.static
    environment: tuple[tuple[str, str], ...] = ()
    realtime_by_default: bool = False
    nics: tuple[str, ...] = ()
    numa_sysfs: str | None = None
    simulated: bool = True
    on_simgrid: bool = True
    continues_runs: bool = True
    on_this_machine: bool = False  # simulated ranks share no cores
    cores_of_ranks: None = None
    stall_limit: str | None = None  # SimGrid itself detects when no rank can proceed

    @property
    def ranks(self) -> int | None:
        """One per core of each host."""
        return sum(host.cores for host in self.hosts)

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """SimGrid's `smpirun`, although the simulated engine starts its ranks itself. Raises LaunchMistake."""
        return find_launcher(mpirun=mpirun, library=library)

    def ranks_per_node(self, request: Request, *, explicit: int | None) -> int | str:
        """As typed, or else the ranks of each host in use."""
        return explicit if explicit is not None else ranks_per_node(self.hosts, request.ranks)

    def knows_nodes(self, request: Request) -> bool:  # noqa: ARG002  a LaunchTarget's
        """True, since neither a batch system nor options place ranks."""
        return True

    @property
    def host_count(self) -> int | None:
        """Number of hosts of the lab."""
        return len(self.hosts)

    def one_rank_per_host(self, hosts: int) -> "SimulatedTarget":
        """The lab with only its first `hosts` hosts, and one rank on each."""
        return replace(self, hosts=tuple(replace(host, cores=1) for host in self.hosts[:hosts]))

    def on_hosts(self, hosts: range) -> "SimulatedTarget":
        """The lab with only these hosts."""
        return replace(self, hosts=tuple(self.hosts[number] for number in hosts))

    def on_own_cores(self, part: int, *, of: int) -> "SimulatedTarget":  # noqa: ARG002  a LaunchTarget's
        """The same target: simulated ranks have a core each."""
        return self

    def with_concurrent_ranks(self, request: Request, *, launcher: Launcher, concurrent_ranks: int) -> Request:  # noqa: ARG002  a LaunchTarget's
        """Raises LaunchMistake, since each launch is a separate simulation."""
        raise LaunchMistake(
            f"--on {self.kind}:{self.name}: two programs cannot run side by side in a simulation; "
            "a lab or a cluster can"
        )

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command and the files that it reads. Raises LaunchMistake."""
        require_simulatable(request)
        if launcher.flavour is not Flavour.simgrid:
            raise LaunchMistake(
                f"--on simgrid:{self.name}: the engine is built with {launcher.recognised}; "
                f"`cmake --preset simgrid && cmake --build --preset simgrid` makes one, {ENGINE_VARIABLE}=PATH names it"
            )
        program, *arguments = request.program
        if "--stall-limit" in arguments:
            raise LaunchMistake("--stall-limit: SimGrid detects by itself that no rank can make progress; leave it out")
        settings = (("smpi/np", str(request.ranks)), ("smpi/hostfile", str(self._hostfile(request.ranks))))
        payload = PRIVATE_PAYLOAD if "--verify" in arguments else SHARED_PAYLOAD
        platform, description = self._platform_folder / "platform.txt", self._platform_folder / "description.json"
        options = (f"--cfg={name}:{value}" for name, value in (*settings, *payload, *MPI, *NETWORK))
        return Command(
            argv=(program, *options, *_QUIET, "--", *arguments),
            environment=(
                *self.environment,
                (PLATFORM_VARIABLE, str(platform)),
                (DESCRIPTION_VARIABLE, str(description)),
            ),
            files=(
                (platform, self.platform),
                (description, self._description),
                (self._hostfile(request.ranks), self._hosts(request.ranks)),
            ),
        )

    @cached_property
    def _description(self) -> str:
        """JSON that the engine copies into the header of the run file."""
        platform = {"name": self.name, "text": self.source}
        settings = dict((*MPI, *NETWORK))
        return json.dumps({"platform": platform, "settings": settings}) + "\n"

    @cached_property
    def _platform_folder(self) -> Path:
        """A folder named after the content of its files."""
        content = hashlib.sha256((self.platform + self._description).encode()).hexdigest()[:12]
        return self.folder / f"{self.name}-{content}"

    def _hostfile(self, ranks: int) -> Path:
        return self._platform_folder / f"hosts-{ranks}"

    def _hosts(self, ranks: int) -> str:
        return "".join(f"{name}\n" * count for name, count in shares(self.hosts, ranks))

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:  # noqa: ARG002  a LaunchTarget's
        """A note that all times are simulated, and routes static where those of the lab are not."""
        how = f" {self.how}" if self.how else ""
        note = (
            f"{request.ranks} ranks are simulated{how} on {self.name}: "
            "all times are the simulation's, not this machine's"
        )
        if self.routing is Routing.static:
            return note
        return f'{note}; its routes are static, although the lab has routing = "{self.routing.value}"'


class SimulatedLabs(SimulatedLinks):
    """Provides the targets `simgrid:NAME` and `simgrid:FILE.toml`."""

    properties = TargetProperties(form="simgrid:NAME", controls_links=True, simulated=True, runs_concurrently=True)

    def target(
        self, on: str, *, environment: Mapping[str, str], rate: RateShare | None, rails: int | None
    ) -> SimulatedTarget:
        """The simulated lab with its links at `rate`. Raises LaunchMistake, and LinkMistake for more than one rail."""
        with as_launch_mistakes(on):
            lab, source = simulated_lab(on, rate=rate, rails=rails)
            platform = platform_of(lab)
        return SimulatedTarget(
            name=lab.name,
            hosts=lab.hosts,
            platform=platform,
            source=source,
            folder=cache_folder(environment),
            routing=lab.routing,
            environment=(("SCRATCH", "" if lab.io is None else lab.io.path),),
        )


def find_simulated_engine(environment: Mapping[str, str]) -> Path:
    """The engine on SimGrid: $STRESSBENCH_SIMGRID, or the one on PATH. Raises LaunchMistake."""
    return find_built_program(
        environment, program=f"engine/{ENGINE}", variable=ENGINE_VARIABLE, preset="simgrid", needs="libsimgrid-dev"
    )


def cache_folder(environment: Mapping[str, str]) -> Path:
    """The folder for platform files."""
    base = environment.get("XDG_CACHE_HOME") or str(Path(environment.get("HOME") or os.path.sep) / ".cache")
    return Path(base) / "stressbench" / "simgrid"
