"""What the comparisons with public benchmarks (benchmarks/peers) have in common: definitions, settings and sizes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pydantic
import sources
from compare import Interruption
from place import LaunchTarget
from sweep import Table


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, config=sources.strict)
class Peer(sources.Source):
    """A public benchmark suite or tool.

    `about`: what it is. `programs`: paths of its programs and libraries below the directory in which it is built, by
    name; a peer without `build` is a package, and these are names on PATH.
    """

    about: str
    programs: dict[str, str] = pydantic.Field(default_factory=dict)


@dataclass(frozen=True)
class Built:
    """Programs of a peer that was built."""

    peer: Peer
    folder: Path

    def path(self, name: str) -> str:
        """The path of a program or library of the peer's definition. Raises SourceMistake if building left none."""
        if not self.peer.build:
            return self.peer.programs[name]
        path = self.folder / self.peer.programs[name]
        if not path.exists():
            raise sources.SourceMistake(
                f"{self.peer.name}: {path} does not exist; `build` of the definition must leave it there"
            )
        return str(path)


@dataclass(frozen=True)
class Sizes:
    """Message sizes of a sweep: `low`, then doubled up to `high`, in bytes. `low` is 0 or a power of two."""

    low: int
    high: int

    def all(self) -> list[int]:
        """The sizes; 1 follows 0."""
        sizes = [self.low]
        while (following := 2 * sizes[-1] or 1) <= self.high:
            sizes.append(following)
        return sizes

    def between(self, low: int, high: int) -> list[int]:
        """Those that are at least `low` and at most `high`."""
        return [size for size in self.all() if low <= size <= high]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Where and how a comparison runs.

    `iterations`: factor on the iterations of a launch, of both sides. `first_open`: with IOR, also measure the first
    open of a process. `folder`: an empty directory for files. `interruption`: shared by the comparisons of a command.
    """

    programs: Built
    place: LaunchTarget
    engine: Path
    launches: int
    seed: int
    sizes: Sizes
    folder: Path
    iterations: float = 1.0
    first_open: bool = False
    interruption: Interruption = field(default_factory=Interruption)

    def scaled(self, iterations: int) -> int:
        """Iterations of a launch, 1 or more."""
        return max(1, round(iterations * self.iterations))


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A comparison with a peer.

    `definition`: stem of its file in benchmarks/peers. `launches`: of each side by default. `local`, `in_labs`: whether
    it runs on this machine and on labs.
    """

    definition: str
    about: str
    measure: Callable[[Setting], Iterator[Table]]
    launches: int
    local: bool = True
    in_labs: bool = True

    @property
    def places(self) -> str:
        """Where it runs, as text."""
        return ", ".join(name for name, runs in (("local", self.local), ("lab", self.in_labs)) if runs)

    def runs_on(self, on: str) -> bool:
        """Whether it runs on the target of `--on`."""
        return self.local if on == "local" else self.in_labs
