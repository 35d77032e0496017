"""Options of `beff-io` that become arguments of the motif b_eff_io, checked before anything starts."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stressbench.errors import UserError
from stressbench.experiments.suites import B_EFF_IO, BEffIOOptions, SuiteLaunch
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.option_values import seconds, size_bytes

_DEFAULT_TIME = {"1": "15min", "2": "30min"}
_HINT = re.compile(r"[^=,\s]+=[^=,]+")


@dataclass(frozen=True, kw_only=True)
class FileSystemOptions:
    """What b_eff_io measures, and where its files are."""

    partitions: Annotated[
        str | None, typer.Option(metavar="2,4", help="Numbers of ranks to measure with; default: all.")
    ] = None
    release: Annotated[str, typer.Option(metavar="1|2", help="Release of b_eff_io: order, and meaning of T.")] = "1"
    file: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help=f"Prefix of the files. Default: ${{SCRATCH}}/{B_EFF_IO} on labs that have it, else {B_EFF_IO} in the "
            "current directory.",
            show_default=False,
        ),
    ] = None
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory per rank; 1/128 of it is M_PART. Default: detected.")
    ] = None
    mpart: Annotated[str | None, typer.Option(metavar="SIZE", help="M_PART, the longest chunk.")] = None
    limit: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Largest total size of the files; default: no limit.")
    ] = None
    hint: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A hint for MPI-IO; can be repeated.")] = (
        None
    )
    no_shared: Annotated[bool, typer.Option("--no-shared", help="Type 1 without shared file pointers.")] = False
    types: Annotated[
        str | None, typer.Option(metavar="0,1", help="Only these pattern types; b_eff_io is then undefined.")
    ] = None
    keep: Annotated[bool, typer.Option("--keep", help="Keep the files.")] = False
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")] = False

    def check(self, *, time: str | None) -> None:
        """Raise UserError for a value that is invalid on every launch target."""
        if self.release not in _DEFAULT_TIME:
            raise UserError(f"--release: '{self.release}' must be 1 or 2")
        if time is not None:
            seconds(time, option="-T")
        for option, value in (("--memory", self.memory), ("--mpart", self.mpart), ("--limit", self.limit)):
            if value is not None:
                size_bytes(value, option=option)
        if self.memory is not None and self.mpart is not None:
            raise UserError(f"--mpart {self.mpart}: follows from --memory {self.memory}; leave one of both out")
        for text in self.hint or ():
            if _HINT.fullmatch(text) is None:
                raise UserError(f"--hint: '{text}' must be KEY=VALUE, such as striping_factor=4")

    def value(self, launch: SuiteLaunch, *, time: str | None) -> BEffIOOptions:
        """The options as the experiment expects them. Raises UserError."""
        ranks = launch.shape.ranks
        types = _numbers(
            self.types, option="--types", least=0, most=4, expected="types from 0 to 4, such as 0,1"
        )  # fmt: skip
        partitions = _numbers(
            self.partitions, option="--partitions", least=1, most=ranks,
            expected=f"numbers of ranks from 1 to {ranks}, such as 2,4",
        )  # fmt: skip
        return BEffIOOptions(
            time=time or _DEFAULT_TIME[self.release],
            file=self.file or _default_file(launch.target, on=launch.target_name),
            partitions=partitions, release=int(self.release), memory=self.memory, longest=self.mpart, limit=self.limit,
            hints=tuple(self.hint or ()), types=types, shared_pointers=not self.no_shared, keep=self.keep,
            overwrite=self.overwrite,
        )  # fmt: skip


def _numbers(text: str | None, *, option: str, least: int, most: int, expected: str) -> tuple[int, ...]:
    """The numbers, none for None. Raises UserError unless all are in the range and distinct."""
    if text is None:
        return ()
    words = text.split(",")
    in_range = all(re.fullmatch("[0-9]{1,9}", word) and least <= int(word) <= most for word in words)
    if not in_range or len(set(map(int, words))) < len(words):
        raise UserError(f"{option}: '{text}' must be {expected}, each once")
    return tuple(map(int, words))


def _default_file(target: LaunchTarget, *, on: str) -> str:
    """Path in ${SCRATCH} on labs, else in the current directory. Raises UserError if the lab serves no file system."""
    scratch = dict(target.environment).get("SCRATCH")
    if scratch is None:
        return str(Path.cwd() / B_EFF_IO)
    if not scratch:
        raise UserError(f"--on {on}: its I/O nodes serve no files (`lab up` said why); --file names another place")
    return f"${{SCRATCH}}/{B_EFF_IO}"
