"""Common part of allocations of batch systems: a number of nodes over which ranks are spread evenly."""

import math
from dataclasses import dataclass

from stressbench.launch.command import Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import PlainTarget
from stressbench.launch.local import Request


@dataclass(frozen=True, kw_only=True)
class Allocation(PlainTarget):
    """`nodes` of a present or future allocation, and the `ranks` requested from the system. None: unknown."""

    nodes: int | None = None

    @property
    def host_count(self) -> int | None:
        """The number of nodes."""
        return self.nodes

    def nodes_used(self, ranks: int, *, ranks_per_node: int | None = None) -> int | None:
        """The number of nodes that these ranks occupy, None: unknown. Raises LaunchMistake for less than one rank.

        With `ranks_per_node`, ranks are not spread over more nodes than they need.
        """
        if ranks < 1:
            raise LaunchMistake(f"ranks: {ranks} is not at least 1")
        return None if self.nodes is None else min(self.nodes, math.ceil(ranks / (ranks_per_node or 1)))

    def max_ranks_per_node(self, ranks: int, *, ranks_per_node: int | None = None) -> int | None:
        """The largest number of ranks on a node, None: unknown."""
        nodes_used = self.nodes_used(ranks, ranks_per_node=ranks_per_node)
        return None if nodes_used is None else math.ceil(ranks / nodes_used)

    def ranks_per_node(self, request: Request, *, explicit: int | None) -> int | None:
        """As typed, or else known only if all nodes get the same number of ranks."""
        most, nodes = self.max_ranks_per_node(request.ranks), self.nodes_used(request.ranks)
        even = most is not None and nodes is not None and most * nodes == request.ranks and not request.names_hosts
        return most if explicit is None and even else explicit

    def knows_nodes(self, request: Request) -> bool:
        """Whether all nodes get the same number of ranks, as far as is known."""
        return self.ranks_per_node(request, explicit=None) is not None

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:  # noqa: ARG002  a LaunchTarget's
        """None: there is no advice for allocations in general."""
        return None
