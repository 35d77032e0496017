"""Options of `stressbench run` that name the programs that start ranks."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.common import Engine
from stressbench.launch.errors import LaunchMistake


@dataclass(frozen=True, kw_only=True)
class LauncherOptions:
    """Programs that start ranks."""

    mpirun: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The launcher; default: the mpirun that fits the engine.")
    ] = None
    mpirun_args: Annotated[
        str,
        typer.Option(
            "--mpirun-args", metavar='"..."', help="Options for mpirun as one argument; or put them after --."
        ),
    ] = ""
    engine: Engine = None

    def arguments(self) -> tuple[str, ...]:
        """The words of --mpirun-args. Raises LaunchMistake."""
        try:
            return tuple(shlex.split(self.mpirun_args))
        except ValueError as fault:
            raise LaunchMistake(f"--mpirun-args: {self.mpirun_args!r}: {str(fault).lower()}") from fault
