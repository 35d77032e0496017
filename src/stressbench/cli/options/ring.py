"""Options of the congestor ring of `compress`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stressbench.experiments.interference import ring_values
from stressbench.experiments.interference.ring_plan import PROGRAM_RUNS, WORKLOAD_RUNS, RingPlan, ring_plan
from stressbench.formats.profiles.profile import PauseAfter
from stressbench.interference.compression import PAPER_CLOCK_HZ, PAPER_MESSAGES, PAPER_PARTNERS
from stressbench.interference.queueing import Service
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.option_values import size_bytes

_PARTNERS = ",".join(map(str, PAPER_PARTNERS))
_MESSAGES = ",".join(map(str, PAPER_MESSAGES))


@dataclass(frozen=True, kw_only=True)
class RingOptions:
    """The congestion levels, and the congestor ring that causes them."""

    runs: Annotated[
        int | None,
        typer.Option(
            metavar="R",
            help=f"Isolated runs, and runs at each level; default: {PROGRAM_RUNS} (workloads: {WORKLOAD_RUNS}).",
        ),
    ] = None
    levels: Annotated[
        str,
        typer.Option(metavar="K|all", help="Largest number of congestion levels to measure; all: every combination."),
    ] = "8"
    partners: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help=f"Numbers of partners of each rank; default: those of {_PARTNERS} for which there are enough ranks.",
        ),
    ] = None
    bubbles: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Pauses, such as 10us,1ms, or cycles; default: 2.5e4 to 2.5e7, and others where a level is missing.",
        ),
    ] = None
    pause_after: Annotated[
        PauseAfter, typer.Option(help="Pause after the messages to each partner (the paper), or once in a round.")
    ] = PauseAfter.partner
    clock: Annotated[
        str | None,
        typer.Option(
            metavar="HZ", help=f"Frequency for pauses in cycles; default: {PAPER_CLOCK_HZ / 1e9}GHz, the paper's."
        ),
    ] = None
    messages: Annotated[
        str | None, typer.Option(metavar="LIST", help=f"Messages to each partner between pauses; default: {_MESSAGES}.")
    ] = None
    message_size: Annotated[str, typer.Option(metavar="SIZE", help="Message size of the ring.")] = "40KiB"
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="Hosts with a rank of the ring; default: all.", show_default=False)
    ] = None
    rings: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep probes beside rings in DIR/MACHINE, and use those that are there.",
            show_default=False,
        ),
    ] = None

    def plan(
        self, target: LaunchTarget, *, target_name: str, pairs: int, placement: str | None, by_rounds: bool,
        packets: Service | None,
    ) -> RingPlan:  # fmt: skip
        """Parse and check the options; `placement` is `--place` of the probes. Raises LaunchMistake."""
        clock_hz = ring_values.clock_hz(self.clock)
        return ring_plan(
            target, target_name=target_name, pairs=pairs, by_rounds=by_rounds, levels=ring_values.levels(self.levels),
            nodes=self.nodes, runs=self.runs, partners=ring_values.numbers(self.partners, option="--partners"),
            pauses_s=ring_values.pauses_s(self.bubbles, clock_hz=clock_hz), clock_hz=clock_hz,
            messages=ring_values.numbers(self.messages, option="--messages"),
            message_bytes=size_bytes(self.message_size, option="--message-size"), pause_after=self.pause_after,
            pairing=ring_values.pairing(placement), packets=packets,
        )  # fmt: skip
