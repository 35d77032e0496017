"""A command to start: its arguments, its additions to the environment, and the files that it reads."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from stressbench.launch.flavour import Flavour, Recognised


@dataclass(frozen=True, kw_only=True)
class Launcher:
    """A program that starts ranks. `is_mpirun`: that of an MPI library, rather than one of a batch system."""

    path: Path
    recognised: Recognised
    is_mpirun: bool = True

    @property
    def flavour(self) -> Flavour:
        """The MPI family of the launcher."""
        return self.recognised.flavour

    def export_options(self, variables: Iterable[str]) -> tuple[str, ...]:
        """Options by which ranks on other hosts get these environment variables.

        Open MPI's mpirun passes only variables named by `-x`. hydra, srun and flux pass all variables.
        """
        if not (self.is_mpirun and self.flavour.is_openmpi):
            return ()
        return tuple(word for name in variables for word in ("-x", name))


@dataclass(frozen=True, kw_only=True)
class Command:
    """`argv[0]` is the program. `environment`: pairs of name and value to add to that of the caller.

    `files`: paths and texts of files that the command reads, to be written before it starts. `output_pipe`: path of a
    pipe that its ranks print to, which is made for the launch.
    """

    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[Path, str], ...] = ()
    output_pipe: Path | None = None

    def __str__(self) -> str:
        """The command as typed in a shell."""
        return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in self.environment), shlex.join(self.argv)])
