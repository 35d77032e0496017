"""Communication matrix between ranks, or between hosts for many ranks, and the pairs with the most traffic."""

import heapq
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from stressbench.formats.trace import RankTrace
from stressbench.formats.trace.records import Peer

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


Sums: TypeAlias = dict[tuple[int, int], list[int]]
"""Messages and bytes by source and destination."""


def _new_sums() -> Sums:
    return defaultdict(lambda: [0, 0])


@dataclass(slots=True)
class MatrixAccumulator:
    """Accumulates the matrix rank by rank. For many ranks it never stores (rank, rank) pairs.

    The host of a destination is known only once that rank has been added: until then, messages to it are kept by rank.
    Since some ranks may lack a host, sums by blocks of destinations are kept as well.
    """

    ranks: int
    busiest: list[tuple[int, int, int, int]] = field(default_factory=list)  # bytes, messages, source, destination
    _sums: Sums = field(default_factory=_new_sums)
    _by_host: Sums = field(default_factory=_new_sums)
    _unresolved: dict[int, dict[int, list[int]]] = field(default_factory=dict)  # by destination and source
    _node_of: "array[int]" = field(init=False)  # -1: unknown
    _ranks_with_host: int = 0

    def __post_init__(self) -> None:
        self._node_of = array("q", [-1]) * (0 if self.ranks <= MAX_RANKS else self.ranks)

    def add(self, rank: RankTrace) -> None:
        """Add one rank's messages."""
        number, few = rank.rank, self.ranks <= MAX_RANKS
        source = number if few else self._first_of_block(number) if rank.node is None else rank.node
        if not few:
            self._set_host(number, rank.node)
        for peer in rank.peers or ():
            if peer.rank < 0:
                continue
            _count(self._sums[source, peer.rank if few else self._first_of_block(peer.rank)], peer.messages, peer.bytes)
            if not few:
                self._count_by_host(source, peer)
            pair = (peer.bytes, peer.messages, -number, -peer.rank)
            if len(self.busiest) < _PAIRS_REPORTED:
                heapq.heappush(self.busiest, pair)
            elif pair > self.busiest[0]:
                heapq.heapreplace(self.busiest, pair)

    def _set_host(self, rank: int, node: int | None) -> None:
        unresolved = self._unresolved.pop(rank, {})
        if node is None:
            return
        self._ranks_with_host += 1
        self._node_of[rank] = node
        for source, sums in unresolved.items():
            _count(self._by_host[source, node], *sums)

    def _count_by_host(self, source: int, peer: Peer) -> None:
        node = self._node_of[peer.rank] if peer.rank < self.ranks else peer.rank
        if node >= 0:
            sums = self._by_host[source, node]
        else:
            sums = self._unresolved.setdefault(peer.rank, {}).setdefault(source, [0, 0])
        _count(sums, peer.messages, peer.bytes)

    @property
    def _block_size(self) -> int:
        return -(-self.ranks // MAX_RANKS)

    def _first_of_block(self, rank: int) -> int:
        return rank // self._block_size * self._block_size if rank < self.ranks else rank

    def finish(self) -> Matrix:
        """The matrix by ranks; by hosts for more than MAX_RANKS ranks, or by at most MAX_RANKS blocks without hosts."""
        if self.ranks <= MAX_RANKS:
            return Matrix(unit=MatrixUnit.rank, labels=tuple(range(self.ranks)), pairs=tuple(_pairs(self._sums)))
        if self._ranks_with_host == self.ranks:
            return self._matrix(MatrixUnit.host, self._by_host, sorted(set(self._node_of)), self._host)
        return self._matrix(MatrixUnit.block, self._sums, range(0, self.ranks, self._block_size), self._first_of_block)

    def _host(self, source: int) -> int:
        return self._node_of[source] if source < self.ranks else source

    def _matrix(
        self, unit: MatrixUnit, stored: Sums, labels: Iterable[int], label_of: Callable[[int], int]
    ) -> Matrix:  # fmt: skip
        sums_by_label = _new_sums()
        for (source, destination), sums in stored.items():
            _count(sums_by_label[label_of(source), destination], *sums)
        return Matrix(unit=unit, labels=tuple(labels), pairs=tuple(_pairs(sums_by_label)))


def _count(sums: list[int], messages: int, size: int) -> None:
    sums[0] += messages
    sums[1] += size


def _pairs(sums: Sums) -> Iterable[Pair]:
    for (source, destination), (messages, size) in sorted(sums.items()):
        yield Pair(source=source, destination=destination, messages=messages, bytes=size)


def busiest_pairs(accumulator: MatrixAccumulator) -> tuple[Pair, ...]:
    """The pairs of ranks with the most bytes, in descending order."""
    return tuple(
        Pair(source=-source, destination=-destination, messages=messages, bytes=size)
        for size, messages, source, destination in sorted(accumulator.busiest, reverse=True)
    )
