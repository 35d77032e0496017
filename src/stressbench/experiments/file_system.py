"""What b_eff_io measures and where its files are, checked before anything starts, as arguments of its motif."""

import re
from dataclasses import dataclass
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.suites import B_EFF_IO, SuiteLaunch, motif_options
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.option_values import seconds, size_bytes

_DEFAULT_TIME = {"1": "15min", "2": "30min"}
_HINT = re.compile(r"[^=,\s]+=[^=,]+")


@dataclass(frozen=True, kw_only=True)
class FileSystemSpec:
    """Settings of b_eff_io, as the options of `stressbench beff-io` of the same names. None: the default."""

    time: str | None = None
    partitions: str | None = None
    release: str = "1"
    file: str | None = None
    memory: str | None = None
    mpart: str | None = None
    limit: str | None = None
    hints: tuple[str, ...] = ()
    no_shared: bool = False
    types: str | None = None
    keep: bool = False
    overwrite: bool = False

    def check(self) -> None:
        """Raise UserError for a value that is invalid on every launch target."""
        if self.release not in _DEFAULT_TIME:
            raise UserError(f"--release: '{self.release}' must be 1 or 2")
        if self.time is not None:
            seconds(self.time, option="-T")
        for option, value in (("--memory", self.memory), ("--mpart", self.mpart), ("--limit", self.limit)):
            if value is not None:
                size_bytes(value, option=option)
        if self.memory is not None and self.mpart is not None:
            raise UserError(f"--mpart {self.mpart}: follows from --memory {self.memory}; leave one of both out")
        for text in self.hints:
            if _HINT.fullmatch(text) is None:
                raise UserError(f"--hint: '{text}' must be KEY=VALUE, such as striping_factor=4")

    def motif_options(self, launch: SuiteLaunch) -> tuple[str, ...]:
        """Arguments of the motif. Raises UserError."""
        ranks = launch.shape.ranks
        types = _numbers(
            self.types, option="--types", least=0, most=4, expected="types from 0 to 4, such as 0,1"
        )  # fmt: skip
        partitions = _numbers(
            self.partitions, option="--partitions", least=1, most=ranks,
            expected=f"numbers of ranks from 1 to {ranks}, such as 2,4",
        )  # fmt: skip
        return motif_options(
            ("--time", self.time or _DEFAULT_TIME[self.release]),
            ("--file", self.file or _default_file(launch.target, on=launch.target_name)),
            ("--partitions", partitions), ("--release", self.release), ("--memory", self.memory),
            ("--mpart", self.mpart), ("--limit", self.limit), ("--hint", ",".join(self.hints) if self.hints else None),
            ("--types", types),
            flags=(("--no-shared", self.no_shared), ("--keep", self.keep), ("--overwrite", self.overwrite)),
        )  # fmt: skip


def _numbers(text: str | None, *, option: str, least: int, most: int, expected: str) -> str | None:
    """`text`, if its numbers are all in the range and distinct; None for None. Raises UserError otherwise."""
    if text is None:
        return None
    words = text.split(",")
    in_range = all(re.fullmatch("[0-9]{1,9}", word) and least <= int(word) <= most for word in words)
    if not in_range or len(set(map(int, words))) < len(words):
        raise UserError(f"{option}: '{text}' must be {expected}, each once")
    return text


def _default_file(target: LaunchTarget, *, on: str) -> str:
    """Path in ${SCRATCH} on labs, else in the current directory. Raises UserError if the lab serves no file system."""
    scratch = dict(target.environment).get("SCRATCH")
    if scratch is None:
        return str(Path.cwd() / B_EFF_IO)
    if not scratch:
        raise UserError(f"--on {on}: its I/O nodes serve no files (`lab up` said why); --file names another place")
    return f"${{SCRATCH}}/{B_EFF_IO}"
