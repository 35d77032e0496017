"""Options of `beff-io` that become arguments of the motif b_eff_io."""

from dataclasses import dataclass
from typing import Annotated

import typer

from stressbench.experiments.io_settings import (
    DEFAULT_TIME,
    default_file,
    partition_names,
    pattern_types,
    require_io_settings,
)
from stressbench.experiments.suites import B_EFF_IO, BEffIOOptions, SuiteLaunch


@dataclass(frozen=True, kw_only=True)
class FileSystemOptions:
    """What b_eff_io measures, and where its files are."""

    partitions: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Partitions to measure, such as 2,4 (the first ranks), 2x4 (4 ranks on each of 2 nodes) or r0-3+8 "
            "(these ranks); default: all ranks.",
        ),
    ] = None
    release: Annotated[
        str,
        typer.Option(metavar="1|2", help="Release of b_eff_io: sets the order of patterns and the meaning of T."),
    ] = "1"
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
        str | None, typer.Option(metavar="SIZE", help="Memory of a node; 1/128 of it is M_PART. Default: detected.")
    ] = None
    mpart: Annotated[str | None, typer.Option(metavar="SIZE", help="M_PART, the longest chunk.")] = None
    limit: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Largest total size of the files; default: no limit.")
    ] = None
    hint: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="Hint for MPI-IO; can be repeated.")] = (
        None
    )
    pattern_hint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBER:KEY=VALUE",
            help="Hint for MPI-IO from a pattern (0 to 42) on to the end of its file; can be repeated.",
        ),
    ] = None
    random: Annotated[
        bool, typer.Option("--random", help="Rewrite and read the calls of each pattern in random order.")
    ] = False
    no_shared: Annotated[bool, typer.Option("--no-shared", help="Measure type 1 without shared file pointers.")] = False
    types: Annotated[
        str | None, typer.Option(metavar="0,1", help="Measure these pattern types only; b_eff_io is then undefined.")
    ] = None
    keep: Annotated[bool, typer.Option("--keep", help="Keep the files after the run.")] = False
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False

    def check(self, *, time: str | None) -> None:
        """Raise UserError for a value that is invalid on every launch target."""
        require_io_settings(
            release=self.release, time=time, memory=self.memory, mpart=self.mpart, limit=self.limit,
            hints=self.hint or (), pattern_hints=self.pattern_hint or (),
        )  # fmt: skip

    def value(self, launch: SuiteLaunch, *, time: str | None) -> BEffIOOptions:
        """The options as the experiment expects them. Raises UserError."""
        return BEffIOOptions(
            time=time or DEFAULT_TIME[self.release],
            file=self.file or default_file(launch.target, on=launch.target_name),
            partitions=partition_names(self.partitions, ranks=launch.shape.ranks), release=int(self.release),
            memory=self.memory, longest=self.mpart, limit=self.limit, hints=tuple(self.hint or ()),
            pattern_hints=tuple(self.pattern_hint or ()), random=self.random,
            types=pattern_types(self.types), shared_pointers=not self.no_shared, keep=self.keep,
            overwrite=self.overwrite,
        )  # fmt: skip
