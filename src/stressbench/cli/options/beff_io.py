"""Options of `beff-io` that become arguments of the motif b_eff_io."""

from dataclasses import dataclass
from typing import Annotated

import typer

from stressbench.experiments.file_system import FileSystemSpec
from stressbench.experiments.suites import B_EFF_IO


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

    def spec(self, *, time: str | None) -> FileSystemSpec:
        """The settings as the experiment expects them; `time` is the option -T."""
        return FileSystemSpec(
            time=time, partitions=self.partitions, release=self.release, file=self.file, memory=self.memory,
            mpart=self.mpart, limit=self.limit, hints=tuple(self.hint or ()), no_shared=self.no_shared,
            types=self.types, keep=self.keep, overwrite=self.overwrite,
        )  # fmt: skip
