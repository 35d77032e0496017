"""What places in batch systems share: a number of nodes over which ranks are spread in equal shares."""

import math
from dataclasses import dataclass

from stressbench.launch.command import Launcher
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import PlainTarget
from stressbench.launch.local import Request


@dataclass(frozen=True, kw_only=True)
class Allocation(PlainTarget):
    """Nodes that are there, or will be; `ranks` that the system was asked for. None: it did not say."""

    nodes: int | None = None

    @property
    def host_count(self) -> int | None:
        """One a node."""
        return self.nodes

    def nodes_used(self, ranks: int) -> int | None:
        """How many nodes so many ranks need, as they spread over as many as there are. Raises LaunchMistake."""
        if ranks < 1:
            raise LaunchMistake(f"ranks: {ranks} is not at least 1")
        return None if self.nodes is None else min(self.nodes, ranks)

    def max_ranks_per_node(self, ranks: int) -> int | None:
        """How many ranks a node holds, at most."""
        nodes_used = self.nodes_used(ranks)
        return None if nodes_used is None else math.ceil(ranks / nodes_used)

    def ranks_per_node(self, request: Request, *, explicit: int | None) -> int | None:
        """Where shares are equal; but what is typed counts."""
        most, nodes = self.max_ranks_per_node(request.ranks), self.nodes_used(request.ranks)
        even = most is not None and nodes is not None and most * nodes == request.ranks and not request.names_hosts
        return most if explicit is None and even else explicit

    def knows_nodes(self, request: Request) -> bool:
        """Where shares are equal."""
        return self.ranks_per_node(request, explicit=None) is not None

    def advice(self, *, launcher: Launcher, request: Request) -> str | None:  # noqa: ARG002  a LaunchTarget's
        """Nothing."""
        return None
