"""Parses the options of the congestor ring of `compress`. Errors name the option."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from stressbench.formats.units import (
    A_FREQUENCY,
    A_TIME,
    MAX_SECONDS,
    UnitError,
    parse_digits,
    parse_frequency,
    parse_seconds,
)
from stressbench.interference.compression import PAPER_CLOCK_HZ
from stressbench.interference.congestor_ring import ProbePairing
from stressbench.launch.errors import LaunchMistake

_ALL = "all"
_CYCLES = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][0-9]+)?")
MIN_PAUSE_S = 1e-9

_Item = TypeVar("_Item")


def levels(text: str) -> int | None:
    """The largest number of congestion levels; None for `all`. Raises LaunchMistake."""
    if text == _ALL:
        return None
    count = parse_digits(text)
    if not count:
        raise LaunchMistake(f"--levels: '{text}' must be a number, at least 1, or {_ALL}")
    return count


def pauses_s(text: str | None, *, clock_hz: float) -> tuple[float, ...]:
    """Distinct pauses in seconds, from times or from cycles; none for None. Raises LaunchMistake."""

    def pause_s(word: str) -> float:
        with suppress(UnitError):
            pause = float(word) / clock_hz if _CYCLES.fullmatch(word) else parse_seconds(word)
            if MIN_PAUSE_S <= pause <= MAX_SECONDS:
                return pause
        raise LaunchMistake(f"--bubbles: '{word}' must be {A_TIME}, or a number of cycles; 1ns at least")

    return _distinct_items(text, pause_s, option="--bubbles")


def numbers(text: str | None, *, option: str) -> tuple[int, ...]:
    """Distinct numbers above 0; none for None. Raises LaunchMistake."""

    def number(word: str) -> int:
        if value := parse_digits(word):
            return value
        raise ValueError(word)

    return _distinct_items(text, number, option=option)


def pairing(place: str | None) -> ProbePairing:
    """Which hosts probe each other, from the placement of probes. Raises LaunchMistake for one that a ring excludes."""
    if place is None:
        return ProbePairing.linear
    try:
        return ProbePairing(place)
    except ValueError:
        expected = " or ".join(ProbePairing)
        raise LaunchMistake(f"--place: '{place}': probes share hosts with a ring; expected {expected}") from None


def clock_hz(text: str | None) -> float:
    """The frequency that cycles refer to; by default that of the paper. Raises LaunchMistake."""
    if text is None:
        return PAPER_CLOCK_HZ
    try:
        return parse_frequency(text)
    except UnitError:
        raise LaunchMistake(f"--clock: '{text}' must be {A_FREQUENCY}") from None


def _distinct_items(text: str | None, parse: Callable[[str], _Item], *, option: str) -> tuple[_Item, ...]:
    """The distinct items of a comma-separated list; none for None. Raises LaunchMistake."""
    if text is None:
        return ()
    try:
        return tuple(dict.fromkeys(parse(word.strip()) for word in text.split(",")))
    except ValueError:
        raise LaunchMistake(f"{option}: '{text}' must be numbers, 1 or more, with commas between them") from None
