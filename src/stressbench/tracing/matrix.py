"""Communication matrix between ranks, or between hosts for many ranks, and the pairs with the most traffic."""

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from stressbench.formats.trace import RankTrace

MAX_RANKS = 256
_PAIRS_REPORTED = 20


class MatrixUnit(StrEnum):
    """Unit of a row or column: a rank, a host, or a block of consecutive ranks (if the hosts are unknown)."""

    rank = "rank"
    host = "host"
    block = "block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Messages from `source` to `destination`: world ranks, or the lowest rank of each host or block."""

    source: int
    destination: int
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Sparse matrix: `pairs` with traffic in order. `labels` are the lowest ranks of all rows and columns."""

    unit: MatrixUnit
    labels: tuple[int, ...]
    pairs: tuple[Pair, ...]


@dataclass(slots=True)
class MatrixAccumulator:
    """Accumulates the matrix rank by rank. For many ranks it stores (host, rank) pairs, never (rank, rank)."""

    ranks: int
    busiest: list[tuple[int, int, int, int]] = field(default_factory=list)  # bytes, messages, source, destination
    _sums: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    _node_of: dict[int, int | None] = field(default_factory=dict)

    def add(self, rank: RankTrace) -> None:
        """Add one rank's messages."""
        self._node_of[rank.rank] = rank.node
        source = self._source(rank)
        for peer in rank.peers or ():
            if peer.rank < 0:
                continue
            sums = self._sums[source, peer.rank]
            sums[0] += peer.messages
            sums[1] += peer.bytes
            self._keep_if_busiest((peer.bytes, peer.messages, -rank.rank, -peer.rank))

    def _source(self, rank: RankTrace) -> int:
        if self.ranks <= MAX_RANKS:
            return rank.rank
        return self._block(rank.rank) if rank.node is None else rank.node

    def _block(self, rank: int) -> int:
        size = -(-self.ranks // MAX_RANKS)
        return rank // size * size

    def _keep_if_busiest(self, pair: tuple[int, int, int, int]) -> None:
        if len(self.busiest) < _PAIRS_REPORTED:
            heapq.heappush(self.busiest, pair)
        else:
            heapq.heappushpop(self.busiest, pair)

    def finish(self) -> Matrix:
        """The matrix by ranks; by hosts for more than MAX_RANKS ranks, or by at most MAX_RANKS blocks without hosts."""
        if self.ranks <= MAX_RANKS:
            return self._matrix(MatrixUnit.rank, {rank: rank for rank in range(self.ranks)})
        known = {rank: node for rank, node in self._node_of.items() if node is not None}
        if len(known) == self.ranks:
            return self._matrix(MatrixUnit.host, known)
        return self._matrix(MatrixUnit.block, {rank: self._block(rank) for rank in range(self.ranks)})

    def _matrix(self, unit: MatrixUnit, label_of: dict[int, int]) -> Matrix:
        folded: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0])
        for (source, destination), (messages, size) in self._sums.items():
            sums = folded[label_of.get(source, source), label_of.get(destination, destination)]
            sums[0] += messages
            sums[1] += size
        return Matrix(unit=unit, labels=tuple(sorted(set(label_of.values()))), pairs=tuple(_pairs(folded)))


def _pairs(sums: dict[tuple[int, int], list[int]]) -> Iterable[Pair]:
    for (source, destination), (messages, size) in sorted(sums.items()):
        yield Pair(source=source, destination=destination, messages=messages, bytes=size)


def busiest_pairs(found: MatrixAccumulator) -> tuple[Pair, ...]:
    """The pairs of ranks with the most bytes, in descending order."""
    return tuple(
        Pair(source=-source, destination=-destination, messages=messages, bytes=size)
        for size, messages, source, destination in sorted(found.busiest, reverse=True)
    )
