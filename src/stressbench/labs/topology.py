"""A lab as a value: nodes and the links between them, with all defaults of the lab file resolved."""

from dataclasses import dataclass
from enum import Enum

from stressbench.formats.lab.arbitration import Arbitration
from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.lab.routing import Routing
from stressbench.formats.units import Bytes, Duration, Rate


class NodeKind(Enum):
    """Kinds of nodes."""

    host = "host"
    io = "io"
    switch = "switch"


class PathChoice(Enum):
    """Choice among several shortest paths: the first link in order, or a link selected by the destination's number."""

    first = "first"
    by_destination = "destination"


@dataclass(frozen=True, kw_only=True)
class Node:
    """A host, an I/O node or a switch. `cores` is the number of ranks a host is meant to run, 0 for other nodes.

    Addresses follow from `number`, which counts hosts and I/O nodes together from 0, and switches separately from 0.
    """

    name: str
    kind: NodeKind
    number: int
    cores: int = 0

    @property
    def is_switch(self) -> bool:
        """Whether the node forwards frames of others."""
        return self.kind is NodeKind.switch


@dataclass(frozen=True, kw_only=True)
class End:
    """An end of a link: a network device of a node."""

    node: str
    device: str
    mac: str


@dataclass(frozen=True, kw_only=True)
class Link:
    """A full-duplex link of this `rate` in each direction.

    `delay` is added in each direction; at each end at most `queue` bytes wait before frames are dropped. Routes have
    the least total `cost`.
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
        """Both ends of the link."""
        return self.a, self.b

    def end_at(self, node: str) -> End:
        """The end at `node`, which must be one of the two nodes."""
        return self.a if self.a.node == node else self.b

    def opposite_end(self, node: str) -> End:
        """The end that is not at `node`."""
        return self.b if self.a.node == node else self.a


@dataclass(frozen=True, kw_only=True)
class IoService:
    """The file system that the I/O nodes serve to all hosts, mounted at `path`.

    Each I/O node stores at most `capacity`. A file is stored on one node, or in pieces of `stripe` on all nodes. Disks
    of simulated I/O nodes write and read this many bytes per second; None: without limit.
    """

    file_system: str
    path: str
    nodes: tuple[str, ...]
    capacity: Bytes
    stripe: Bytes | None
    disk_write: Bytes | None = None
    disk_read: Bytes | None = None


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Permanent background traffic: datagrams from one host to another at this `rate` of frames."""

    source: str
    target: str
    rate: Rate


@dataclass(frozen=True, kw_only=True)
class Lab:
    """A whole lab. `shape` is the kind of its topology. `pinned`: no two hosts share cores of the machine.

    Hosts have this many `sockets`; `nic_sockets` has that of the NIC of each rail. `routing` and `arbitration` are
    those of switches. Frames that wait for longer than `marking` in their queues get a congestion mark.
    """

    name: str
    about: str
    shape: str
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    rails: int
    forwarding: Forwarding
    path_choice: PathChoice
    routing: Routing = Routing.static
    arbitration: Arbitration = Arbitration.fifo
    marking: Duration | None = None
    pinned: bool = False
    sockets: int = 1
    nic_sockets: tuple[int, ...] = ()
    io: IoService | None = None
    noise: tuple[Noise, ...] = ()

    @property
    def hosts(self) -> tuple[Node, ...]:
        """Nodes on which ranks run."""
        return tuple(node for node in self.nodes if node.kind is NodeKind.host)

    @property
    def stations(self) -> tuple[Node, ...]:
        """Hosts and I/O nodes, which have an address on each of their rails."""
        return tuple(node for node in self.nodes if not node.is_switch)

    @property
    def switches(self) -> tuple[Node, ...]:
        """Nodes that forward frames."""
        return tuple(node for node in self.nodes if node.is_switch)

    def node(self, name: str) -> Node:
        """The node with this name. Raises KeyError if there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def links_of(self, node: str) -> tuple[Link, ...]:
        """The links with an end at this node, in order."""
        return tuple(link for link in self.links if node in (link.a.node, link.b.node))
