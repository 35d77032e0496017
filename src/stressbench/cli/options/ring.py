"""Options of the congestor ring of `compress`."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, TypeVar

import typer

from stressbench.experiments.interference.ring_plan import PROGRAM_RUNS, WORKLOAD_RUNS, RingPlan, ring_plan
from stressbench.formats.units import (
    A_FREQUENCY,
    A_TIME,
    MAX_SECONDS,
    UnitError,
    parse_digits,
    parse_frequency,
    parse_seconds,
)
from stressbench.interference.compression import PAPER_CLOCK_HZ, PAPER_CYCLES, PAPER_MESSAGES, PAPER_PARTNERS
from stressbench.interference.congestor_ring import ProbePairing
from stressbench.interference.queueing import Service
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.option_values import size_bytes

_ALL = "all"
_PARTNERS = ",".join(map(str, PAPER_PARTNERS))
_MESSAGES = ",".join(map(str, PAPER_MESSAGES))
_CYCLES = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][0-9]+)?")
_MIN_SECONDS = 1e-9

_Item = TypeVar("_Item")


@dataclass(frozen=True, kw_only=True)
class RingOptions:
    """The congestion levels, and the congestor ring that causes them."""

    runs: Annotated[
        int | None,
        typer.Option(
            metavar="R",
            help=f"Isolated runs, and runs beside each level; default: {PROGRAM_RUNS} (workloads: {WORKLOAD_RUNS}).",
        ),
    ] = None
    levels: Annotated[str, typer.Option(metavar="K|all", help="Largest number of congestion levels to measure.")] = "8"
    partners: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help=f"Partners of each rank; default: those of {_PARTNERS} for which there are enough ranks.",
        ),
    ] = None
    bubbles: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Pauses, such as 10us,1ms, or cycles; default: 2.5e4 to 2.5e7 cycles."),
    ] = None
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

    def plan(
        self, target: LaunchTarget, *, target_name: str, pairs: int, placement: str | None, by_rounds: bool,
        packets: Service | None,
    ) -> RingPlan:  # fmt: skip
        """Parse and check the options; `placement` is `--place` of the probes. Raises LaunchMistake."""
        return ring_plan(
            target, target_name=target_name, pairs=pairs, by_rounds=by_rounds, levels=_levels(self.levels),
            nodes=self.nodes, runs=self.runs, partners=_numbers(self.partners, option="--partners"),
            pauses_s=_pauses(self.bubbles, _clock_hz(self.clock)),
            messages=_numbers(self.messages, option="--messages"),
            message_bytes=size_bytes(self.message_size, option="--message-size"), pairing=_pairing(placement),
            packets=packets,
        )  # fmt: skip


def _pauses(text: str | None, clock_hz: float) -> tuple[float, ...]:
    def pause_s(word: str) -> float:
        with suppress(UnitError):
            pause = float(word) / clock_hz if _CYCLES.fullmatch(word) else parse_seconds(word)
            if _MIN_SECONDS <= pause <= MAX_SECONDS:
                return pause
        raise LaunchMistake(f"--bubbles: '{word}' must be {A_TIME}, or a number of cycles; 1ns at least")

    return _distinct_items(text, pause_s, option="--bubbles") or tuple(cycles / clock_hz for cycles in PAPER_CYCLES)


def _clock_hz(text: str | None) -> float:
    if text is None:
        return PAPER_CLOCK_HZ
    try:
        return parse_frequency(text)
    except UnitError:
        raise LaunchMistake(f"--clock: '{text}' must be {A_FREQUENCY}") from None


def _levels(text: str) -> int | None:
    """The largest number of levels; None for `all`. Raises LaunchMistake."""
    if text == _ALL:
        return None
    levels = parse_digits(text)
    if not levels:
        raise LaunchMistake(f"--levels: '{text}' must be a number, at least 1, or {_ALL}")
    return levels


def _pairing(text: str | None) -> ProbePairing:
    if text is None:
        return ProbePairing.linear
    try:
        return ProbePairing(text)
    except ValueError:
        expected = " or ".join(ProbePairing)
        raise LaunchMistake(f"--place: '{text}': probes share hosts with a ring; expected {expected}") from None


def _numbers(text: str | None, *, option: str) -> tuple[int, ...]:
    def number(word: str) -> int:
        if value := parse_digits(word):
            return value
        raise ValueError(word)

    return _distinct_items(text, number, option=option)


def _distinct_items(text: str | None, parse: Callable[[str], _Item], *, option: str) -> tuple[_Item, ...]:
    """The distinct items of a comma-separated list; none for None. Raises LaunchMistake."""
    if text is None:
        return ()
    try:
        return tuple(dict.fromkeys(parse(word.strip()) for word in text.split(",")))
    except ValueError:
        raise LaunchMistake(f"{option}: '{text}' must be numbers, 1 or more, with commas between them") from None
