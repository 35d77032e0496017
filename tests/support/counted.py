"""Sequences that count how often they are read, for work that must not grow faster than the file."""

from collections.abc import Iterator
from typing import TypeVar

T = TypeVar("T")


class Counted(tuple[T, ...]):
    """A tuple whose `reads` are the iterations over it."""

    reads = 0

    def __iter__(self) -> Iterator[T]:
        self.reads += 1
        return super().__iter__()
