"""What a picture of a network shows as one: a host, or all hosts of a switch where there are many. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from stressbench.formats.topology import Network

MAX_SINGLE_HOSTS = 48
"""Hosts that are shown one by one; of more, those on the same switches are one block."""


@dataclass(frozen=True, kw_only=True)
class HostBlock:
    """Hosts or I/O nodes that are shown as one, and the switches that they are attached to."""

    hosts: tuple[str, ...]
    switches: tuple[str, ...]
    is_storage: bool

    @property
    def key(self) -> str:
        """The name of the block among those of switches: its first host."""
        return self.hosts[0]


@dataclass(frozen=True, kw_only=True)
class BlockNetwork:
    """A network of blocks and switches. `links` has the number of links between two of them, by their keys."""

    network: Network
    blocks: tuple[HostBlock, ...]
    key_of: Mapping[str, str]
    links: Mapping[tuple[str, str], int]

    @cached_property
    def neighbours(self) -> Mapping[str, tuple[str, ...]]:
        """Neighbours of each block and switch, in the order of the network."""
        found: dict[str, dict[str, None]] = {key: {} for key in (*self.block_keys, *self.network.switches)}
        for a, b in self.links:
            found[a][b] = found[b][a] = None
        return {key: tuple(others) for key, others in found.items()}

    @property
    def block_keys(self) -> tuple[str, ...]:
        """Keys of blocks."""
        return tuple(block.key for block in self.blocks)

    def link_between(self, a: str, b: str) -> tuple[str, str] | None:
        """The key in `links` of the nodes `a` and `b`; None if they are not linked."""
        keys = self.key_of.get(a), self.key_of.get(b)
        if keys[0] is None or keys[1] is None:
            return None
        pair = (keys[0], keys[1])
        return pair if pair in self.links else pair[::-1] if pair[::-1] in self.links else None


def block_network(network: Network, *, max_single: int = MAX_SINGLE_HOSTS) -> BlockNetwork:
    """Merge the hosts of each set of switches into a block if there are more than `max_single` hosts."""
    blocks = tuple(_blocks(network, merge=len(network.hosts) > max_single))
    key_of = {host: block.key for block in blocks for host in block.hosts} | {name: name for name in network.switches}
    links: dict[tuple[str, str], int] = {}
    for link in network.links:
        a, b = key_of[link.a], key_of[link.b]
        if a == b:
            continue
        pair = (b, a) if (b, a) in links else (a, b)
        links[pair] = links.get(pair, 0) + link.count
    return BlockNetwork(network=network, blocks=blocks, key_of=key_of, links=links)


def _blocks(network: Network, *, merge: bool) -> Iterator[HostBlock]:
    stations = set(network.stations)
    switches_of: dict[str, dict[str, None]] = {name: {} for name in network.stations}
    for link in network.links:
        for node, other in ((link.a, link.b), (link.b, link.a)):
            if node in stations and other not in stations:
                switches_of[node][other] = None
    for is_storage, nodes in ((False, network.hosts), (True, network.storage)):
        groups: dict[tuple[str, ...], list[str]] = {}
        for node in nodes:
            switches = tuple(switches_of[node])
            groups.setdefault(switches if merge else (node,), []).append(node)
        for hosts in groups.values():
            yield HostBlock(hosts=tuple(hosts), switches=tuple(switches_of[hosts[0]]), is_storage=is_storage)
