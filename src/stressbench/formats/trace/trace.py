"""A trace file as it was read: the header and the ends; the lines of ranks are read one by one when asked for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.errors import TraceFileError
from stressbench.formats.ranges import spans
from stressbench.formats.trace.records import RankTrace, TraceEnd, TraceHeader


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlace:
    """Position of a rank's line: the rank, first byte, length and line number counted from 1."""

    rank: int
    offset: int
    length: int
    line: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """One trace file. `torn`: the file ends within a line; `end` is None where the file was cut off."""

    path: Path
    header: TraceHeader
    places: tuple[RankPlace, ...]
    symbols: Mapping[str, str]
    end: TraceEnd | None
    torn: bool
    load: Callable[[RankPlace], RankTrace]

    @property
    def cut_off(self) -> bool:
        """Whether the file stops before its end."""
        return self.end is None

    @property
    def missing(self) -> tuple[int, ...]:
        """Ranks that have no line."""
        there = {place.rank for place in self.places}
        return tuple(rank for rank in range(self.header.ranks) if rank not in there)

    def ranks(self) -> Iterator[RankTrace]:
        """Every rank's line in order, one in memory at a time."""
        return (self.load(place) for place in self.places)

    def rank(self, number: int) -> RankTrace:
        """The line of one rank. TraceFileError when the file has none."""
        for place in self.places:
            if place.rank == number:
                return self.load(place)
        has = f"it holds ranks {spans([place.rank for place in self.places])}" if self.places else "it holds no rank"
        raise TraceFileError(f"rank {number} is not in this file; {has}", path=self.path)

    def require_whole(self) -> None:
        """TraceFileError unless the file has its end and every rank's line."""
        whole = f"{len(self.places):,} of {self.header.ranks:,} ranks are whole"
        if self.cut_off:
            raise TraceFileError(f"the file is cut off: {whole} and there is no `end` line", path=self.path)
        if missing := self.missing:
            listed = spans(missing[:1000]) + (", ..." if len(missing) > 1000 else "")
            raise TraceFileError(f"{whole}; no line of rank {listed}", path=self.path)
