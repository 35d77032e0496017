"""Checks and defaults of the settings of b_eff_io, before anything starts. Errors name the option of `beff-io`."""

import re
from collections.abc import Iterable
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.suites import B_EFF_IO
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.option_values import seconds, size_bytes

DEFAULT_TIME = {"1": "15min", "2": "30min"}
"""The scheduled time T of each release: of a partition in release 1, of all partitions in release 2."""
_HINT = re.compile(r"[^=,\s]+=[^=,]+")
_TYPES = 5


def require_io_settings(
    *, release: str, time: str | None = None, memory: str | None = None, mpart: str | None = None,
    limit: str | None = None, hints: Iterable[str] = (),
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


def pattern_types(text: str | None) -> tuple[int, ...]:
    """The pattern types from `0,1`; none, which stands for all, for None. Raises UserError."""
    return _numbers(
        text, option="--types", least=0, most=_TYPES - 1, expected=f"types from 0 to {_TYPES - 1}, such as 0,1"
    )


def partition_sizes(text: str | None, *, ranks: int) -> tuple[int, ...]:
    """Numbers of the `ranks` from `2,4`; none, which stands for all ranks, for None. Raises UserError."""
    return _numbers(
        text, option="--partitions", least=1, most=ranks, expected=f"numbers of ranks from 1 to {ranks}, such as 2,4"
    )


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
