"""The launch targets `ns3:NAME`: schedules of messages on a lab that ns-3 simulates packet by packet."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from stressbench.formats.units import RateShare
from stressbench.labs.packet_network import network_of, settings_of
from stressbench.launch.command import Command, Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.flavour import Recognised
from stressbench.launch.lab import as_launch_mistakes, ranks_per_node, shares
from stressbench.launch.launch_target import TargetProperties
from stressbench.launch.local import Request
from stressbench.launch.simgrid import SimulatedTarget, cache_folder
from stressbench.launch.simulated import SimulatedLinks, find_built_program, require_simulatable, simulated_lab
from stressbench.packets.options import NOT_APPLICABLE

SIMULATOR = "stressbench-ns3"
SIMULATOR_VARIABLE = "STRESSBENCH_NS3"


@dataclass(frozen=True, kw_only=True)
class PacketTarget(SimulatedTarget):
    """A lab simulated packet by packet. `platform`: the network file. `settings`: all of its settings."""

    settings: Mapping[str, int]
    simulator: Path
    how: str = "packet by packet"
    on_simgrid: bool = False
    continues_runs: bool = False

    def launcher(self, *, mpirun: Path | None, library: Recognised) -> Launcher:
        """The simulator itself, since no ranks are started. Raises LaunchMistake for an `mpirun`."""
        if mpirun is not None:
            raise LaunchMistake(f"--mpirun: {mpirun}: there is no mpirun in a simulation; leave it out")
        return Launcher(path=self.simulator, recognised=library, is_mpirun=False)

    def build(self, *, launcher: Launcher, request: Request) -> Command:  # noqa: ARG002  a LaunchTarget's
        """The command and the files that it reads. Raises LaunchMistake."""
        require_simulatable(request)
        if request.program[1:2] != ("run",):
            raise LaunchMistake(
                f"--on {self.kind}:{self.name}: only `stressbench run` runs there; use simgrid:{self.name}"
            )
        for option in NOT_APPLICABLE:
            if option in request.program:
                raise LaunchMistake(
                    f"{option}: not in a packet-level simulation, --on {self.kind}:{self.name}; leave it out"
                )
        sizes = dict(pairwise(request.program)).get("--ranks-per-node", "1")
        if not str(sizes).isdecimal():
            raise LaunchMistake(
                f"--ranks-per-node: '{sizes}': a packet-level simulation, --on {self.kind}:{self.name}, needs nodes "
                "with equally many ranks"
            )
        hosts = ",".join(name for name, count in shares(self.hosts, request.ranks) for _ in range(count))
        size = ranks_per_node(self.hosts, request.ranks)
        per_node = ("--ranks-per-node", str(size)) if isinstance(size, int) else ()
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


@dataclass(frozen=True, kw_only=True)
class PacketLabs(SimulatedLinks):
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
        with as_launch_mistakes(on):
            lab, source = simulated_lab(on, rate=rate, rails=rails)
            settings = settings_of(lab, pause_bytes=self.pause_bytes)
            network = network_of(lab, settings)
        return PacketTarget(
            name=lab.name, hosts=lab.hosts, platform=network, source=source, kind=self.kind, routing=lab.routing,
            folder=cache_folder(environment).parent / "ns3", settings=settings, simulator=find_simulator(environment),
        )  # fmt: skip


def find_simulator(environment: Mapping[str, str]) -> Path:
    """The simulator: $STRESSBENCH_NS3, or the one on PATH. Raises LaunchMistake."""
    return find_built_program(
        environment, program=f"engine/packet/{SIMULATOR}", variable=SIMULATOR_VARIABLE, preset="ns3",
        needs="libns3-dev",
    )  # fmt: skip
