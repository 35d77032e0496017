"""A trace file in memory: its header, symbols and end. The lines of ranks are read one by one on access."""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from stressbench.formats.errors import TraceFileError
from stressbench.formats.ranges import spans
from stressbench.formats.trace.records import RankTrace, TraceEnd, TraceHeader


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPosition:
    """Position of a rank's line in the file: offset and length in bytes, and line number counted from 1."""

    rank: int
    offset: int
    length: int
    line: int


class RankPositions(Sequence[RankPosition]):
    """Positions of the lines of ranks, in ascending order of ranks; stored in columns, as there may be millions."""

    def __init__(self) -> None:
        self._columns = (array("i"), array("q"), array("i"), array("i"))

    def append(self, position: RankPosition) -> None:
        """Add the position of the next rank."""
        values = (position.rank, position.offset, position.length, position.line)
        for column, value in zip(self._columns, values, strict=True):
            column.append(value)

    @property
    def ranks(self) -> Sequence[int]:
        """The ranks that have a line."""
        return self._columns[0]

    def __len__(self) -> int:
        return len(self.ranks)

    @overload
    def __getitem__(self, index: int) -> RankPosition: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[RankPosition]: ...
    def __getitem__(self, index: int | slice) -> RankPosition | Sequence[RankPosition]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        rank, offset, length, line = (column[index] for column in self._columns)
        return RankPosition(rank=rank, offset=offset, length=length, line=line)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """One trace file. `torn`: the file ends within a line; `end` is None if the file was cut off."""

    path: Path
    header: TraceHeader
    positions: RankPositions
    symbols: Mapping[str, str]
    end: TraceEnd | None
    torn: bool
    load: Callable[[Iterable[RankPosition]], Iterator[RankTrace]]

    @property
    def truncated(self) -> bool:
        """Whether the file was cut off before its `end` line."""
        return self.end is None

    @property
    def missing(self) -> tuple[int, ...]:
        """Ranks that have no line."""
        if len(self.positions) == self.header.ranks:
            return ()
        present = set(self.positions.ranks)
        return tuple(rank for rank in range(self.header.ranks) if rank not in present)

    def ranks(self) -> Iterator[RankTrace]:
        """Every rank's line in order, one in memory at a time."""
        return self.load(self.positions)

    def rank(self, number: int) -> RankTrace:
        """The line of one rank. Raises TraceFileError if the file has none."""
        index = bisect_left(self.positions.ranks, number)
        if index < len(self.positions) and self.positions.ranks[index] == number:
            return next(iter(self.load([self.positions[index]])))
        content = f"it holds ranks {spans(self.positions.ranks)}" if self.positions else "it holds no rank"
        raise TraceFileError(f"rank {number} is not in this file; {content}", path=self.path)

    def require_complete(self) -> None:
        """Raise TraceFileError unless the file has its `end` line and a line for every rank."""
        complete = f"{len(self.positions):,} of {self.header.ranks:,} ranks are whole"
        if self.truncated:
            raise TraceFileError(f"the file is cut off: {complete} and there is no `end` line", path=self.path)
        if missing := self.missing:
            listed = spans(missing[:1000]) + (", ..." if len(missing) > 1000 else "")
            raise TraceFileError(f"{complete}; no line of rank {listed}", path=self.path)
