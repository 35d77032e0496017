"""The launch targets `ns3:NAME`: schedules of messages on a lab that ns-3 simulates packet by packet."""

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from stressbench.formats.files import limits, read_text
from stressbench.formats.units import RateShare, stated_rate
from stressbench.labs.catalog import lab_file
from stressbench.labs.file import read_lab
from stressbench.labs.packet_network import network_of, settings_of
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake, LinkMistake
from stressbench.launch.find import named_program
from stressbench.launch.flavour import Recognised
from stressbench.launch.lab import as_launch_mistakes, name_in, ranks_per_node, reduced_lab, shares
from stressbench.launch.launch_target import NicNumbers, TargetProperties
from stressbench.launch.local import Request
from stressbench.launch.simgrid import SimulatedTarget, cache_folder
from stressbench.packets.options import NOT_APPLICABLE

SIMULATOR = "stressbench-ns3"
SIMULATOR_VARIABLE = "STRESSBENCH_NS3"


@dataclass(frozen=True, kw_only=True)
class PacketTarget(SimulatedTarget):
    """A lab simulated packet by packet. `platform`: the network file. `settings`: all of its settings."""

    settings: Mapping[str, int]
    simulator: Path

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """The simulator itself, since no ranks are started. Raises LaunchMistake for an `mpirun`."""
        if mpirun is not None:
            raise LaunchMistake(f"--mpirun: {mpirun}: there is no mpirun in a simulation; leave it out")
        return Launcher(path=self.simulator, recognised=library, is_mpirun=False)

    def build(self, *, launcher: Launcher, request: Request) -> Command:  # noqa: ARG002  a LaunchTarget's
        """The command and the files that it reads. Raises LaunchMistake."""
        if request.ranks < 1:
            raise LaunchMistake(f"ranks: {request.ranks} is not at least 1")
        if request.extra:
            raise LaunchMistake(f"{' '.join(request.extra)}: there is no mpirun in a simulation; leave it out")
        if request.realtime:
            raise LaunchMistake("--realtime: simulated ranks share no cores; leave it out")
        if request.program[1:2] != ("run",):
            raise LaunchMistake(f"--on ns3:{self.name}: only `stressbench run` runs there; use simgrid:{self.name}")
        for option in NOT_APPLICABLE:
            if option in request.program:
                raise LaunchMistake(f"{option}: not in a packet-level simulation, --on ns3:{self.name}; leave it out")
        hosts = ",".join(name for name, count in shares(self.hosts, request.ranks) for _ in range(count))
        size = ranks_per_node(self.hosts, request.ranks)
        per_node = () if size is None else ("--ranks-per-node", str(size))
        network, description = self._platform_folder / "network.txt", self._platform_folder / "description.json"
        return Command(
            argv=(
                sys.executable, "-m", "stressbench.packets", "--simulator", str(self.simulator),
                "--network", str(network), "--description", str(description), "--hosts", hosts,
                *per_node, *map(str, request.program),
            ),
            files=((network, self.platform), (description, self._description)),
        )  # fmt: skip

    @property
    def _description(self) -> str:
        platform = {"name": self.name, "text": self.source}
        return json.dumps({"platform": platform, "settings": dict(self.settings)}) + "\n"

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:  # noqa: ARG002  a LaunchTarget's
        """A note that all times are simulated."""
        return (
            f"{request.ranks} ranks are simulated packet by packet on {self.name}: "
            "all times are the simulation's, not this machine's"
        )


@dataclass(frozen=True, kw_only=True)
class PacketLabs:
    """Provides the targets `ns3:NAME` and `ns3:FILE.toml`, with pause frames as `ns3-pause:...`.

    `pause_bytes`: bytes of one input from which a switch pauses it; 0: never, frames are dropped at full queues.
    """

    kind: str
    pause_bytes: int = 0

    @property
    def properties(self) -> TargetProperties:
        """Those of all packet-level simulations."""
        return TargetProperties(
            form=f"{self.kind}:NAME", controls_links=True, simulated=True, runs_concurrently=True
        )  # fmt: skip

    def target(
        self, on: str, *, environment: Mapping[str, str], rate: RateShare | None, rails: int | None
    ) -> PacketTarget:
        """The simulated lab with its links at `rate`. Raises LaunchMistake, and LinkMistake for more than one rail."""
        if rails is not None and rails > 1:
            raise LinkMistake(on=on, factor="rails", explanation=f"{rails}: a simulated host has one NIC; expected 1")
        with as_launch_mistakes(on):
            path = lab_file(name_in(on))
            lab = reduced_lab(read_lab(path), on=on, rate=rate, rails=rails)
            settings = settings_of(lab, pause_bytes=self.pause_bytes)
            network = network_of(lab, settings)
        overrides = "".join(
            f"# {name} = {value}\n" for name, value in (("rate", rate), ("rails", rails)) if value is not None
        )
        return PacketTarget(
            name=lab.name, hosts=lab.hosts, platform=network, source=overrides + read_text(path, limit=limits.TOML),
            folder=cache_folder(environment).parent / "ns3", settings=settings, simulator=find_simulator(environment),
        )  # fmt: skip

    def set_rate(self, on: str, share: Fraction) -> None:
        """Not supported, since the rates of a simulation are fixed at its start. Raises LaunchMistake."""
        raise LaunchMistake(
            f"--on {on}: rate: {stated_rate(share)}: a simulated lab's rates are fixed when ranks start"
        )

    def nic_totals(self, on: str) -> None:
        """None: NICs are counted in the run file."""

    def nic_numbers(self, on: str) -> NicNumbers:  # noqa: ARG002  a TargetProvider's
        """None, since there are no counters."""
        return {}

    def link_meter(self, on: str) -> None:
        """None, since there are no counters."""


def find_simulator(environment: Mapping[str, str]) -> Path:
    """The simulator: $STRESSBENCH_NS3, or the one on PATH. Raises LaunchMistake."""
    if path_from_environment := environment.get(SIMULATOR_VARIABLE):
        return named_program(Path(path_from_environment), option=SIMULATOR_VARIABLE)
    if path_on_path := shutil.which(SIMULATOR, path=environment.get("PATH")):
        return Path(path_on_path)
    raise LaunchMistake(
        f"{SIMULATOR} was not found on PATH: `cmake --preset ns3 && cmake --build --preset ns3` in a checkout "
        f"makes build/ns3/engine/packet/{SIMULATOR} (it needs libns3-dev); {SIMULATOR_VARIABLE}=PATH names it"
    )
