"""Checks and defaults of the settings of b_eff_io, before anything starts. Errors name the option of `beff-io`."""

import re
from collections.abc import Iterable
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.suites import B_EFF_IO
from stressbench.formats.protocols.io_patterns import TABLE_2
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.option_values import seconds, size_bytes

DEFAULT_TIME = {"1": "15min", "2": "30min"}
"""The scheduled time T of each release: of a partition in release 1, of all partitions in release 2."""
_HINT = re.compile(r"[^=,\s]+=[^=,]+")
_NUMBER = "[1-9][0-9]{0,7}"
_PARTITION_OF_NODES = re.compile(f"(?P<nodes>{_NUMBER})x(?P<ranks>{_NUMBER})")
_PARTITION_OF_RANKS = re.compile(r"r[0-9]{1,8}(-[0-9]{1,8})?(\+[0-9]{1,8}(-[0-9]{1,8})?)*")
_PATTERN_HINT = re.compile(rf"(?P<number>[0-9]{{1,2}}):{_HINT.pattern}")
_TYPES = 5


def require_io_settings(
    *, release: str, time: str | None = None, memory: str | None = None, mpart: str | None = None,
    limit: str | None = None, hints: Iterable[str] = (), pattern_hints: Iterable[str] = (),
) -> None:  # fmt: skip
    """Raise UserError for a value that is invalid on every launch target."""
    if release not in DEFAULT_TIME:
        raise UserError(f"--release: '{release}' must be 1 or 2")
    if time is not None:
        seconds(time, option="-T")
    for option, value in (("--memory", memory), ("--mpart", mpart), ("--limit", limit)):
        if value is not None:
            size_bytes(value, option=option)
    if memory is not None and mpart is not None:
        raise UserError(f"--mpart {mpart}: follows from --memory {memory}; omit one of them")
    for text in hints:
        if _HINT.fullmatch(text) is None:
            raise UserError(f"--hint: '{text}' must be KEY=VALUE, such as striping_factor=4")
    for text in pattern_hints:
        match = _PATTERN_HINT.fullmatch(text)
        if match is None or int(match["number"]) not in TABLE_2:
            raise UserError(
                f"--pattern-hint: '{text}' must be NUMBER:KEY=VALUE with a pattern from 0 to {len(TABLE_2) - 1}, such "
                "as 5:romio_ds_write=disable"
            )


def pattern_types(text: str | None) -> tuple[int, ...]:
    """The pattern types from `0,1`; none, which stands for all, for None. Raises UserError."""
    return _numbers(
        text, option="--types", least=0, most=_TYPES - 1, expected=f"types from 0 to {_TYPES - 1}, such as 0,1"
    )


def partition_names(text: str | None, *, ranks: int) -> tuple[str, ...]:
    """Partitions of the `ranks` from `4,2x4,r0-3+8`; none, which stands for all ranks, for None. Raises UserError.

    A partition is a number of ranks, nodes times ranks of a node, or ranks by number.
    """
    names = () if text is None else tuple(text.split(","))
    for name in names:
        highest = _highest_rank(name)
        if highest is None:
            raise UserError(
                f"--partitions: '{name}' must be a number of ranks such as 4, nodes and ranks per node such as 2x4, or "
                "ranks such as r0-3+8"
            )
        if highest >= ranks:
            raise UserError(f"--partitions: '{name}' needs more than the {ranks} ranks that there are")
    if len(set(names)) < len(names):
        raise UserError(f"--partitions: '{text}' must name each partition once")
    return names


def _highest_rank(name: str) -> int | None:
    """The least number that the highest rank of a partition can have; None if the partition is malformed."""
    if match := _PARTITION_OF_NODES.fullmatch(name):
        return int(match["nodes"]) * int(match["ranks"]) - 1
    if _PARTITION_OF_RANKS.fullmatch(name):
        numbers = [int(number) for number in re.findall("[0-9]+", name)]
        return numbers[-1] if numbers == sorted(numbers) else None
    return int(name) - 1 if re.fullmatch(_NUMBER, name) else None


def default_file(target: LaunchTarget, *, on: str) -> str:
    """Path in ${SCRATCH} on labs, else in the current directory. Raises UserError if the lab serves no file system."""
    scratch = dict(target.environment).get("SCRATCH")
    if scratch is None:
        return str(Path.cwd() / B_EFF_IO)
    if not scratch:
        raise UserError(f"--on {on}: its I/O nodes serve no files (`lab up` said why); --file names another place")
    return f"${{SCRATCH}}/{B_EFF_IO}"


def _numbers(text: str | None, *, option: str, least: int, most: int, expected: str) -> tuple[int, ...]:
    words = [] if text is None else text.split(",")
    in_range = all(re.fullmatch("[0-9]{1,9}", word) and least <= int(word) <= most for word in words)
    if not in_range or len(set(map(int, words))) < len(words):
        raise UserError(f"{option}: '{text}' must be {expected}, each once")
    return tuple(map(int, words))
