"""Tags and sizes of messages as functions of the stage. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

Samples: TypeAlias = Mapping[tuple[int, int], int]
"""Tags or bytes by the number of ranks and the number of the stage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLaw:
    """Bytes: a number, times or divided by 2^k in stage k, and divided by the number of ranks."""

    number: int
    of_stage: str
    of_ranks: bool

    @property
    def text(self) -> str:
        """As motif `stencil` reads it: 8*S, 4096*S/P."""
        return f"{self.number}{self.of_stage}{'/P' if self.of_ranks else ''}"


def size_law(samples: Samples, *, shares: bool) -> SizeLaw | None:
    """The simplest law; None if there is none.

    `shares`: from one number of ranks, sizes that grow are taken for shares of the same whole on other ranks, instead
    of multiples of what each rank has.
    """
    laws = [("", False), ("*S", False), ("/S", False), ("", True), ("*S", True), ("/S", True)]
    if shares:
        laws.insert(1, ("*S", True))
    for of_stage, of_ranks in laws:
        numbers = {
            _number(ranks, stage, size, of_stage=of_stage, of_ranks=of_ranks)
            for (ranks, stage), size in samples.items()
        }
        number = numbers.pop()
        if not numbers and number is not None:
            return SizeLaw(number=number, of_stage=of_stage, of_ranks=of_ranks)
    return None


def _number(ranks: int, stage: int, size: int, *, of_stage: str, of_ranks: bool) -> int | None:
    whole = size * ranks if of_ranks else size
    if of_stage == "/S":
        return whole << stage
    if of_stage == "*S":
        return None if whole & (1 << stage) - 1 else whole >> stage
    return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLaw:
    """A tag as motif `stencil` reads it. `is_open`: another text would do as well."""

    text: str
    is_open: bool


def tag_law(samples: Samples) -> TagLaw | None:
    """The tag in stage k: constant, or growing by k or 2^k; None if there is no such law."""
    if len(set(samples.values())) == 1:
        return TagLaw(text=str(next(iter(samples.values()))), is_open=False)
    firsts = {
        "k": {tag - stage for (_, stage), tag in samples.items()},
        "S": {tag - (1 << stage) for (_, stage), tag in samples.items()},
    }
    found = {name: first.pop() for name, first in firsts.items() if len(first) == 1}
    found = {name: first for name, first in found.items() if first >= 0}
    if not found:
        return None
    name = min(found, key=lambda one: (found[one] != 0, one != "k"))
    return TagLaw(text=f"{found[name]}+{name}" if found[name] else name, is_open=len(found) > 1)
