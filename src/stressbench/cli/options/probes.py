"""Options of `impact` and `compress` for the probes."""

from dataclasses import dataclass
from typing import Annotated

import typer

from stressbench.cli.options.common import placement_option
from stressbench.experiments.interference.spec import probe_pairs
from stressbench.interference.probes import ProbeSchedule
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.option_values import seconds, size_bytes


@dataclass(frozen=True, kw_only=True)
class ProbeOptions:
    """How the network is probed."""

    pairs: Annotated[
        int | None,
        typer.Option(
            metavar="K", help="Pairs of hosts that exchange probes; default: all hosts, in pairs; one pair on local."
        ),
    ] = None
    place: Annotated[
        str | None,
        placement_option("Placement of pairs: linear (neighbours), interleaved or random:SEED."),
    ] = None
    size: Annotated[str, typer.Option(metavar="SIZE", help="Message size of a probe.")] = "1KiB"
    every: Annotated[str, typer.Option(metavar="T", help="Mean interval between the ping-pongs of a pair.")] = "100ms"
    idle: Annotated[
        str,
        typer.Option(metavar="T", help="Duration of each launch of probes without CMD, such as on the idle machine."),
    ] = "20s"
    after: Annotated[
        bool, typer.Option("--after/--no-after", help="Probe the idle machine again at the end, to detect drift.")
    ] = True

    def schedule(self, target: LaunchTarget, *, target_name: str) -> ProbeSchedule:
        """The schedule of the probes. Raises LaunchMistake."""
        interval_s = seconds(self.every, option="--every")
        return ProbeSchedule(
            pairs=probe_pairs(target, self.pairs, target_name=target_name),
            message_bytes=size_bytes(self.size, option="--size"), interval_s=interval_s,
        )  # fmt: skip
