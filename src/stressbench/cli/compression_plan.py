"""Which rings `compress` tries, where, and how often the program runs: what was typed, checked."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from stressbench.cli.errands import at_least_one
from stressbench.cli.link import Link
from stressbench.formats.profiles.profile import Configuration
from stressbench.formats.units import A_FREQUENCY, A_TIME, UnitError, parse_frequency, parse_seconds
from stressbench.interference.compression import PAPER_CLOCK_HZ, PAPER_CYCLES, PAPER_MESSAGES, PAPER_PARTNERS, grid
from stressbench.interference.rings import RANKS_PER_NODE, Pairing
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.option_values import size_bytes
from stressbench.launch.place import Place

ALL = "all"
_CYCLES = re.compile(r"\d+(?:\.\d+)?(?:[eE]\d+)?")
_LEAST_S = 1e-9
_RUNS = 4

_Item = TypeVar("_Item")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """`candidates`: of these, at most `most_levels`; a ring has a rank on each of `nodes` hosts.

    `runs`: of the program, alone and beside each ring. `pairing`: of hosts that probe.
    """

    candidates: tuple[Configuration, ...]
    most_levels: int
    runs: int
    nodes: int
    pairing: Pairing
    link: Link

    @property
    def every_one(self) -> bool:
        """Whether none of the candidates is left out."""
        return self.most_levels == len(self.candidates)


@dataclass(frozen=True, kw_only=True)
class Rings:
    """What was typed about them."""

    partners: str | None
    bubbles: str | None
    messages: str | None
    message_size: str
    clock: str | None
    levels: str
    nodes: int | None


def plan_of(
    typed: Rings, *, place: Place, on: str, pairs: int, placement: str | None, runs: int | None, by_rounds: bool,
    link: Link,
) -> Plan:  # fmt: skip
    """All of it. `by_rounds`: a workload's rounds are times enough of one launch. Raises LaunchMistake."""
    at_least_one("--runs", runs)
    nodes = _nodes(typed.nodes, place, on=on, pairs=pairs)
    candidates = grid(
        partners=_partners(typed.partners, nodes=nodes),
        pauses_s=_pauses(typed.bubbles, _clock_hz(typed.clock)),
        messages=_each(typed.messages, _whole, option="--messages") or PAPER_MESSAGES,
        message_bytes=size_bytes(typed.message_size, option="--message-size"),
    )
    return Plan(
        candidates=candidates, most_levels=_levels(typed.levels, len(candidates)),
        runs=runs or (1 if by_rounds else _RUNS), nodes=nodes, pairing=_pairing(placement), link=link,
    )  # fmt: skip


def companions_of(plan: Plan, *, place: Place, pairs: int) -> int:
    """Ranks of a launch with both: on all hosts of the place, so that nobody has to be told on which."""
    return RANKS_PER_NODE * max(plan.nodes, 2 * pairs, place.host_count or 0)


def _nodes(typed: int | None, place: Place, *, on: str, pairs: int) -> int:
    hosts = place.host_count
    if typed is None:
        return max(2, 2 * pairs if hosts is None else hosts)
    if typed < 2:
        raise LaunchMistake(f"--nodes: {typed} is not at least 2: a ring needs somebody to send to")
    if hosts is not None and typed > max(hosts, 2):
        raise LaunchMistake(f"--nodes: {typed} hosts; --on {on} has {hosts}")
    return typed


def _partners(text: str | None, *, nodes: int) -> tuple[int, ...]:
    if text is None:
        return tuple(sorted({min(count, nodes - 1) for count in PAPER_PARTNERS}))
    typed = _each(text, _whole, option="--partners")
    if max(typed) >= nodes:
        raise LaunchMistake(f"--partners: {max(typed)} partners need {max(typed) + 1} ranks; the ring has {nodes}")
    return typed


def _pauses(text: str | None, clock_hz: float) -> tuple[float, ...]:
    def pause_s(word: str) -> float:
        with suppress(UnitError):
            found = float(word) / clock_hz if _CYCLES.fullmatch(word) else parse_seconds(word)
            if found >= _LEAST_S:
                return found
        raise LaunchMistake(f"--bubbles: '{word}' must be {A_TIME}, or a number of cycles; 1ns at least")

    return _each(text, pause_s, option="--bubbles") or tuple(cycles / clock_hz for cycles in PAPER_CYCLES)


def _clock_hz(text: str | None) -> float:
    if text is None:
        return PAPER_CLOCK_HZ
    try:
        return parse_frequency(text)
    except UnitError:
        raise LaunchMistake(f"--clock: '{text}' must be {A_FREQUENCY}") from None


def _levels(text: str, candidates: int) -> int:
    if text == ALL:
        return candidates
    if not text.isdecimal() or int(text) < 1:
        raise LaunchMistake(f"--levels: '{text}' must be a number, at least 1, or {ALL}")
    return min(int(text), candidates)


def _pairing(text: str | None) -> Pairing:
    if text is None:
        return Pairing.linear
    try:
        return Pairing(text)
    except ValueError:
        expected = " or ".join(Pairing)
        raise LaunchMistake(f"--place: '{text}': probes share hosts with a ring; expected {expected}") from None


def _whole(word: str) -> int:
    if not word.isdecimal() or int(word) < 1:
        raise ValueError(word)
    return int(word)


def _each(text: str | None, read: Callable[[str], _Item], *, option: str) -> tuple[_Item, ...]:
    """Of a list with commas, each word once; nothing where nothing was typed."""
    if text is None:
        return ()
    try:
        return tuple(dict.fromkeys(read(word.strip()) for word in text.split(",")))
    except ValueError:
        raise LaunchMistake(f"{option}: '{text}' must be numbers, 1 or more, with commas between them") from None
