"""A lab as a value: nodes and the links between them. What a file says, with nothing left to choose."""

from dataclasses import dataclass
from enum import Enum

from stressbench.formats.lab.fields import Forwarding
from stressbench.formats.units import Bytes, Duration, Rate


class NodeKind(Enum):
    """What a node does."""

    host = "host"
    io = "io"
    switch = "switch"


class Spread(Enum):
    """Which of several shortest ways a route takes: the first link in order, or one by the destination's number."""

    first = "first"
    by_destination = "destination"


@dataclass(frozen=True, kw_only=True)
class Node:
    """A host, an I/O node or a switch. `cores`: ranks that a host is meant to hold; 0 for the others.

    `number` counts hosts and I/O nodes together from 0, switches apart from 0: addresses follow from it.
    """

    name: str
    kind: NodeKind
    number: int
    cores: int = 0

    @property
    def is_switch(self) -> bool:
        """Whether it passes on what others send."""
        return self.kind is NodeKind.switch


@dataclass(frozen=True, kw_only=True)
class End:
    """Where a link meets a node: a network device in it."""

    node: str
    device: str
    mac: str


@dataclass(frozen=True, kw_only=True)
class Link:
    """A cable: `rate` each way. `delay` is added each way; `queue` bytes wait at each end before frames are dropped.

    Routes are those of least `cost`.
    """

    name: str
    a: End
    b: End
    rate: Rate
    rail: int
    delay: Duration | None = None
    queue: Bytes | None = None
    cost: int = 1

    @property
    def ends(self) -> tuple[End, End]:
        """Both ends."""
        return self.a, self.b

    def end_at(self, node: str) -> End:
        """The end in `node`, which must be one of the two."""
        return self.a if self.a.node == node else self.b

    def beyond(self, node: str) -> End:
        """The end that is not in `node`."""
        return self.b if self.a.node == node else self.a


@dataclass(frozen=True, kw_only=True)
class IoService:
    """The file system that I/O nodes serve to every host at `path`.

    Each node holds at most `capacity`. Files lie on one node each, or in pieces of `stripe` on all.
    """

    file_system: str
    path: str
    nodes: tuple[str, ...]
    capacity: Bytes
    stripe: Bytes | None


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Traffic that is always there: datagrams from one host to another, `rate` of frames."""

    source: str
    target: str
    rate: Rate


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A whole lab. `shape` is the name of its topology; `pinned`: each host has cores of the machine for itself."""

    name: str
    about: str
    shape: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    rails: int
    forwarding: Forwarding
    spread: Spread
    pinned: bool = False
    io: IoService | None = None
    noise: tuple[Noise, ...] = ()

    @property
    def hosts(self) -> tuple[Node, ...]:
        """Where ranks run."""
        return tuple(node for node in self.nodes if node.kind is NodeKind.host)

    @property
    def stations(self) -> tuple[Node, ...]:
        """Hosts and I/O nodes: what has an address of its own on each rail."""
        return tuple(node for node in self.nodes if not node.is_switch)

    @property
    def switches(self) -> tuple[Node, ...]:
        """What passes on."""
        return tuple(node for node in self.nodes if node.is_switch)

    def node(self, name: str) -> Node:
        """The node of this name. KeyError where there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def links_of(self, node: str) -> tuple[Link, ...]:
        """The links that end in this node, in order."""
        return tuple(link for link in self.links if node in (link.a.node, link.b.node))
