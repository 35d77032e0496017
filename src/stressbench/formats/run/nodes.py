"""The nodes of a run file's header: one record for each range of equal nodes, read as one node after another.

The header of a run on many nodes would otherwise need a line for each of them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Annotated, Any, TypeAlias, overload

from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from stressbench.formats.bounds import CHECK_INT64, Name
from stressbench.formats.host_lists import host_list, parse_hosts
from stressbench.formats.ranges import parse_ranges

_Index: TypeAlias = Annotated[int, Field(ge=0), CHECK_INT64]
_Positive: TypeAlias = Annotated[int, Field(ge=1), CHECK_INT64]
_MAX_RANK = (1 << 31) - 1  # as in the engine
MAX_SINGLE_NODES = 64
"""Up to this many nodes, each has its own record, as in the engine and in files of version 0.1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A node: ranks that share memory, or the consecutive ones of `--ranks-per-node`; `ranks` as in `[NID_LIST]`."""

    node: int
    host: str
    cores: int | None
    ranks: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRange:
    """One node (`node`), or several successive ones of the same kind (`nodes`).

    Of several nodes, `ranks` are those of the first; each next node has the same ones, all higher by `rank_step`. They
    have the same `host`, or one each of `hosts`.
    """

    node: Annotated[_Index | None, Field(description="of one node")] = None
    nodes: Annotated[str | None, Field(pattern="^[0-9]{1,10}-[0-9]{1,10}$", description="of several nodes: 0-511")] = (
        None
    )
    host: Annotated[Name | None, Field(description="of one node, or of all")] = None
    hosts: Annotated[
        str | None, Field(description="of several nodes, in their order, as Slurm writes lists: n[001-512]")
    ] = None
    cores: _Positive | None
    ranks: Annotated[str, Field(description="of the first node, as in [NID_LIST]: 0-3,8 or 0-30:2")]
    rank_step: Annotated[
        _Positive | None, Field(description="of several nodes: by how much the ranks of the next node are higher")
    ] = None

    @property
    def first(self) -> int:
        """The number of the first node."""
        if self.nodes is None:
            return self.node or 0
        return int(self.nodes.partition("-")[0])

    @property
    def count(self) -> int:
        """How many nodes there are."""
        if self.nodes is None:
            return 1
        first, _, last = self.nodes.partition("-")
        return int(last) - int(first) + 1

    def check(self, *, max_nodes: int) -> None:
        """Raise ValueError for keys that do not fit together, and for more nodes than `max_nodes`."""
        if (self.node is None) is (self.nodes is None):
            raise ValueError("expected either node or nodes")
        if not 1 <= self.count <= max_nodes:
            raise ValueError(f"nodes {self.nodes}: expected at most {max_nodes} nodes, the smallest number first")
        if (self.host is None) is (self.hosts is None) or (self.node is not None and self.host is None):
            raise ValueError("expected either host or, of several nodes, hosts")
        if self.nodes is not None and self.rank_step is None:
            raise ValueError("rank_step: expected a number with nodes")
        if self.hosts is not None and (hosts := len(parse_hosts(self.hosts, max_hosts=self.count))) != self.count:
            raise ValueError(f"hosts: expected {self.count}, one for each node, not {hosts}")

    def count_ranks(self, *, max_ranks: int) -> int:
        """How many ranks the nodes have. Raises ValueError for more than `max_ranks`."""
        ranks = parse_ranges(self.ranks, max_numbers=max_ranks // self.count)
        if max(ranks) + (self.count - 1) * (self.rank_step or 0) > _MAX_RANK:
            raise ValueError("expected numbers below 2^31")
        return len(ranks) * self.count

    def expanded(self) -> Iterator[Node]:
        """The nodes of a range that was checked, one by one."""
        hosts = None if self.hosts is None else parse_hosts(self.hosts, max_hosts=self.count)
        for place in range(self.count):
            yield Node(
                node=self.first + place, host=hosts[place] if hosts is not None else self.host or "", cores=self.cores,
                ranks=_shifted(self.ranks, place * (self.rank_step or 0)),
            )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """The keys of the record, without those that it does not need."""
        one = {"node": self.node, "host": self.host, "cores": self.cores, "ranks": self.ranks}
        if self.nodes is None:
            return one
        named = {"host": self.host} if self.hosts is None else {"hosts": self.hosts}
        return {"nodes": self.nodes, **named, "cores": self.cores, "ranks": self.ranks, "rank_step": self.rank_step}


@dataclass(frozen=True)
class NodeTable(Sequence[Node]):
    """The nodes of a launch, in the order of their records. Only the ranges are in memory."""

    ranges: tuple[NodeRange, ...]

    @classmethod
    def of(cls, nodes: Iterable[Node], *, max_single: int = MAX_SINGLE_NODES) -> "NodeTable":
        """The table of these nodes, in as few ranges as possible if there are more than `max_single`."""
        every = tuple(nodes)
        ranges, at = [], 0
        while at < len(every):
            end, step = _range_end(every, at) if len(every) > max_single else (at + 1, 0)
            ranges.append(_range_of(every[at:end], step))
            at = end
        return cls(tuple(ranges))

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate the records as NodeRange."""
        return core_schema.no_info_after_validator_function(cls, handler.generate_schema(tuple[NodeRange, ...]))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[Node]:
        for one in self.ranges:
            yield from one.expanded()

    @overload
    def __getitem__(self, place: int) -> Node: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Node, ...]: ...
    def __getitem__(self, place: int | slice) -> Node | tuple[Node, ...]:
        if isinstance(place, slice):
            return tuple(self)[place]
        index = place + len(self) if place < 0 else place
        if not 0 <= index < len(self):
            raise IndexError(place)
        at = bisect_right(self._ends, index)
        before = self._ends[at - 1] if at else 0
        return next(node for skipped, node in enumerate(self.ranges[at].expanded()) if skipped == index - before)

    @cached_property
    def hosts(self) -> Mapping[int, str]:
        """The host of each node, by its number."""
        return {node.node: node.host for node in self}

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        return tuple(accumulate(one.count for one in self.ranges))


def _shifted(ranks: str, offset: int) -> str:
    """The list with every number, but not the strides, higher by `offset`."""
    if not offset:
        return ranks
    return re.sub(r"(:?)([0-9]+)", lambda one: one[0] if one[1] else str(int(one[2]) + offset), ranks)


def _range_end(nodes: Sequence[Node], first: int) -> tuple[int, int]:
    """The end of the range that begins with node `first`, and its step of ranks."""
    end, kind = first + 1, (nodes[first].cores, nodes[first].node)
    if end == len(nodes):
        return end, 0
    step = min(parse_ranges(nodes[end].ranks)) - min(parse_ranges(nodes[first].ranks))
    while (
        step > 0
        and end < len(nodes)
        and (nodes[end].cores, nodes[end].node - (end - first)) == kind
        and nodes[end].ranks == _shifted(nodes[first].ranks, step * (end - first))
    ):
        end += 1
    return end, step


def _range_of(nodes: Sequence[Node], step: int) -> NodeRange:
    first = nodes[0]
    if len(nodes) == 1:
        return NodeRange(node=first.node, host=first.host, cores=first.cores, ranks=first.ranks)
    hosts = [node.host for node in nodes]
    same = len(set(hosts)) == 1
    return NodeRange(
        nodes=f"{first.node}-{nodes[-1].node}", host=first.host if same else None,
        hosts=None if same else host_list(hosts), cores=first.cores, ranks=first.ranks, rank_step=step,
    )  # fmt: skip
