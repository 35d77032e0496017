"""A motif with options that may make the calls of a program. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from zlib import crc32

from stressbench.errors import UserError
from stressbench.tracing.recognition.stencils.grids import balanced

_GRID = "grid"
_POSITIONS = "positions"
"""Which rank has which place in a grid. A list is an order that the program chose by chance, other ones on others."""
_NAME = 40
"""Characters of a value that is shown in tables."""
_OPEN = "0"
"""A side of a grid that follows from the number of ranks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mesh:
    """How a motif is given its mesh: by the lengths of its sides, as so many `options`.

    The lengths are those of the whole job's mesh or, with `of_rank`, of each rank's. A cube has one option and three
    `dimensions`; an option may also have all lengths, as in 240x240.
    """

    options: tuple[str, ...]
    dimensions: int
    of_rank: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A motif and its options by long name; "" is the value of a flag.

    `assumed`: options whose value the messages do not determine, each with what was assumed instead.
    `times_of_capture`: its computation is that of the capture, and not of the motif's own law. `is_particular`: a
    program hardly makes its calls by chance, even once. `any_number`: a program that has enough iterations of this
    motif may have a few more with these or other options.
    """

    motif: str
    options: tuple[tuple[str, str], ...]
    mesh: Mesh
    assumed: tuple[str, ...] = ()
    times_of_capture: bool = False
    is_particular: bool = False
    any_number: bool = False

    @property
    def name(self) -> str:
        """The motif with its options for people: values that are longer than a name are left out."""
        words = [self.motif]
        for name, value in self.options:
            words.append(f"--{name}" if not value else f"--{name} {value if len(value) <= _NAME else '...'}")
        return " ".join(words)

    @property
    def words(self) -> tuple[str, ...]:
        """The motif with its options as words of a command line."""
        words = [self.motif]
        for name, value in self.options:
            words += [f"--{name}", value] if value else [f"--{name}"]
        return tuple(words)

    def sides(self, ranks: int) -> tuple[int, ...] | None:
        """The sides of the whole mesh on so many ranks; None for a motif with its own problem sizes."""
        given = dict(self.options)
        lengths = [int(side) for name in self.mesh.options for side in given[name].split("x")]
        if len(lengths) == 1:
            lengths *= self.mesh.dimensions
        if self.mesh.of_rank:
            grid = map(int, given[_GRID].split("x")) if _GRID in given else balanced(ranks, self.mesh.dimensions)
            lengths = [length * side for length, side in zip(lengths, grid, strict=True)]
        return tuple(lengths) or None

    def scaled(self, *, from_ranks: int, ranks: int, size: float) -> "Candidate":
        """The same on other ranks, with `size` times the cells in all. Lengths are rounded to whole cells.

        Raises UserError where that is not possible.
        """
        given = dict(self.options)
        if _GRID in given and _OPEN not in given[_GRID].split("x") and ranks != from_ranks:
            raise UserError(
                f"--ranks: {self.motif} divides {from_ranks} ranks as {given[_GRID]}, which is not its own choice: how "
                f"the program divides {ranks} is not known; expected {from_ranks}"
            )
        if not self.mesh.options and size != 1 and not self.times_of_capture:
            raise UserError(f"--size: {self.motif} has its own problem sizes, which no factor gives; choose another")
        cells = size * from_ranks / ranks if self.mesh.of_rank else size
        factor = cells ** (1 / self.mesh.dimensions)
        for name in self.mesh.options:
            lengths = [round(int(side) * factor) for side in given[name].split("x")]
            if min(lengths) < 1:
                raise UserError(f"--size: {size:g} times the cells of {self.motif} are less than one on a side")
            given[name] = "x".join(map(str, lengths))
        if ranks != from_ranks and "," in given.get(_POSITIONS, ""):
            given[_POSITIONS] = f"random:{crc32(given[_POSITIONS].encode())}"
        return replace(self, options=tuple(given.items()))


def candidate(
    motif: str, mesh: Mesh, named: Mapping[str, object] = MappingProxyType({}), *, assumed: tuple[str, ...] = (),
    is_particular: bool = False, any_number: bool = False, **options: object,
) -> Candidate:  # fmt: skip
    """A candidate with these options by long name, `named` and as keywords, in which `_` stands for `-`.

    True gives a flag, False and None leave the option out.
    """
    given = {**named, **{name.replace("_", "-"): value for name, value in options.items()}}
    return Candidate(
        motif=motif, mesh=mesh, assumed=assumed, is_particular=is_particular, any_number=any_number,
        options=tuple(
            (name, "" if value is True else str(value))
            for name, value in given.items()
            if value is not None and value is not False
        ),
    )  # fmt: skip
