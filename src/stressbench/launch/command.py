"""A command that could be started: its arguments and what it adds to the environment."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from stressbench.launch.flavour import Flavour, Recognised


@dataclass(frozen=True, kw_only=True)
class Launcher:
    """A program such as `mpirun` that starts ranks."""

    path: Path
    recognised: Recognised

    @property
    def flavour(self) -> Flavour:
        """Its family."""
        return self.recognised.flavour


@dataclass(frozen=True, kw_only=True)
class Command:
    """`argv[0]` is the program; `environment` is added to that of the caller, pair by pair.

    `files` are paths and texts that the command reads: who starts it writes them first.
    """

    argv: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[Path, str], ...] = ()

    def __str__(self) -> str:
        """As it would be typed in a shell."""
        return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in self.environment), shlex.join(self.argv)])
