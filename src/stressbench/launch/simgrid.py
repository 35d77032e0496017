"""Simulated ranks on a simulated network: the engine on SimGrid's MPI. Pure, but for looking for the engine."""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import find_launcher, named_program
from stressbench.launch.flavour import Flavour, Recognised
from stressbench.launch.lab import LabHost, ranks_per_node, shares
from stressbench.launch.local import Request

ENGINE = "stressbench-simgrid"
ENGINE_VARIABLE = "STRESSBENCH_SIMGRID"
DESCRIPTION_VARIABLE = "STRESSBENCH_SIMULATION"  # read by engine/core/simulated/simulation.cpp

# What makes the simulated network one of Ethernet and TCP, as a lab is (docs/how-to/simgrid.md).
NETWORK = (
    ("network/model", "CM02"),  # flows share links max-min fairly; no factors but those below
    ("network/bandwidth-factor", f"{1448 / 1514:.6f}"),  # payload of a full frame
    ("network/latency-factor", "1"),
    ("network/weight-S", "0"),  # streams over one link share it evenly, whatever their latencies
    ("network/TCP-gamma", str(512 * 1024)),  # bytes that a lab's connection has in flight
    ("network/crosstraffic", "1"),  # acknowledgements take a twentieth of the way back; a lab's 66 of 1514 bytes
    ("network/loopback-bw", "10e9"),  # ranks of one host: its memory, in bytes a second
    ("network/loopback-lat", "1e-6"),
)
MPI = (
    ("smpi/simulate-computation", "no"),  # this machine's own time is not the simulation's
    ("smpi/privatization", "dlopen"),  # each rank has variables of its own
    ("smpi/coll-selector", "mpich"),  # algorithms of MPICH; those of Open MPI crash on one rank (SimGrid 3.32)
    ("smpi/send-is-detached-thresh", "65536"),  # Open MPI's eager limit over TCP: MPI_Send of more waits
    ("smpi/test", "1e-7"),  # what asking for a message takes, in place of 100 us and more each time
    ("smpi/iprobe", "1e-7"),
    ("smpi/grow-injected-times", "no"),
)
_QUIET = ("--log=root.thres:error",)


@dataclass(frozen=True, kw_only=True)
class SimulatedTarget:
    """A simulated lab. `platform` is SimGrid's XML, `source` the lab file's text; both are put below `folder`."""

    name: str
    hosts: tuple[LabHost, ...]
    platform: str
    source: str
    folder: Path
    environment: tuple[tuple[str, str], ...] = ()
    realtime_by_default: bool = False
    nics: tuple[str, ...] = ()
    stall_limit: str | None = None  # SimGrid notices by itself when no rank can get on

    @property
    def ranks(self) -> int | None:
        """One on each core of each host."""
        return sum(host.cores for host in self.hosts)

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """The engine starts its ranks itself; `smpirun` stands for it."""
        return find_launcher(mpirun=mpirun, library=library)

    def ranks_per_node(self, request: Request, *, explicit: int | None) -> int | None:
        """As many as each host that is used has, where all but the last have the same; but what is typed counts."""
        return explicit if explicit is not None else ranks_per_node(self.hosts, request.ranks)

    def knows_nodes(self, request: Request) -> bool:  # noqa: ARG002  a LaunchTarget's
        """Nobody else says where ranks go."""
        return True

    @property
    def host_count(self) -> int | None:
        """The lab's hosts."""
        return len(self.hosts)

    def one_rank_per_host(self, hosts: int) -> "SimulatedTarget":
        """Its first hosts, as if each had one core."""
        return replace(self, hosts=tuple(LabHost(name=host.name, cores=1) for host in self.hosts[:hosts]))

    def with_concurrent_ranks(self, request: Request, *, launcher: Launcher, concurrent_ranks: int) -> Request:  # noqa: ARG002  a LaunchTarget's
        """Raises LaunchMistake: each launch is a world of its own."""
        raise LaunchMistake(
            f"--on simgrid:{self.name}: two programs cannot run side by side in a simulation; a lab or a cluster can"
        )

    def build(self, *, launcher: Launcher, request: Request) -> Command:
        """The command and the files that it reads. Raises LaunchMistake."""
        if request.ranks < 1:
            raise LaunchMistake(f"ranks: {request.ranks} is not at least 1")
        if launcher.flavour is not Flavour.simgrid:
            raise LaunchMistake(
                f"--on simgrid:{self.name}: the engine is built with {launcher.recognised}; "
                f"`cmake --preset simgrid && cmake --build --preset simgrid` makes one, {ENGINE_VARIABLE}=PATH names it"
            )
        if request.extra:
            raise LaunchMistake(f"{' '.join(request.extra)}: there is no mpirun in a simulation; leave it out")
        if request.realtime:
            raise LaunchMistake("--realtime: simulated ranks share no cores; leave it out")
        program, *arguments = request.program
        if "--stall-limit" in arguments:
            raise LaunchMistake("--stall-limit: SimGrid notices by itself when no rank can get on; leave it out")
        settings = (("smpi/np", str(request.ranks)), ("smpi/hostfile", str(self._hostfile(request.ranks))))
        options = (f"--cfg={name}:{value}" for name, value in (*settings, *MPI, *NETWORK))
        return Command(
            argv=(program, *options, *_QUIET, str(self._platform_folder / "platform.xml"), "--", *arguments),
            environment=((DESCRIPTION_VARIABLE, str(self._platform_folder / "description.json")),),
            files=(
                (self._platform_folder / "platform.xml", self.platform),
                (self._platform_folder / "description.json", self._description),
                (self._hostfile(request.ranks), self._hosts(request.ranks)),
            ),
        )

    @cached_property
    def _description(self) -> str:
        """What the engine puts into its header."""
        platform = {"name": self.name, "text": self.source}
        settings = dict((*MPI, *NETWORK))
        return json.dumps({"platform": platform, "settings": settings}) + "\n"

    @cached_property
    def _platform_folder(self) -> Path:
        """A folder that holds the same files whenever it is written."""
        content = hashlib.sha256((self.platform + self._description).encode()).hexdigest()[:12]
        return self.folder / f"{self.name}-{content}"

    def _hostfile(self, ranks: int) -> Path:
        return self._platform_folder / f"hosts-{ranks}"

    def _hosts(self, ranks: int) -> str:
        return "".join(f"{name}\n" * count for name, count in shares(self.hosts, ranks))

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:  # noqa: ARG002  a LaunchTarget's
        """What times mean."""
        return f"{request.ranks} ranks are simulated on {self.name}: all times are the simulation's, not this machine's"


def find_simulated_engine(environment: Mapping[str, str]) -> Path:
    """The engine on SimGrid: $STRESSBENCH_SIMGRID, or the one on PATH. Raises LaunchMistake."""
    if path_from_environment := environment.get(ENGINE_VARIABLE):
        return named_program(Path(path_from_environment), option=ENGINE_VARIABLE)
    if path_on_path := shutil.which(ENGINE, path=environment.get("PATH")):
        return Path(path_on_path)
    raise LaunchMistake(
        f"{ENGINE} was not found on PATH: `cmake --preset simgrid && cmake --build --preset simgrid` in a checkout "
        f"makes build/simgrid/engine/{ENGINE} (it needs libsimgrid-dev); {ENGINE_VARIABLE}=PATH names it"
    )


def cache_folder(environment: Mapping[str, str]) -> Path:
    """Where platforms are kept."""
    base = environment.get("XDG_CACHE_HOME") or str(Path(environment.get("HOME") or os.path.sep) / ".cache")
    return Path(base) / "stressbench" / "simgrid"
