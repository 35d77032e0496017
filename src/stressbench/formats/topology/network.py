"""A network as a value: hosts, I/O nodes and switches, and the links between them."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

MAX_HOSTS, MAX_SWITCHES, MAX_LINKS = 65_536, 16_384, 524_288
"""Limits of a network: more than a page can show, and little enough to be read and laid out in seconds."""

_ROUTER = re.compile(r"(g[0-9]+)r[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkLink:
    """`count` parallel links between the nodes `a` and `b`, each of this rate in each direction; None: unknown."""

    a: str
    b: str
    rate_bits_per_s: int | None = None
    count: int = 1


@dataclass(frozen=True, kw_only=True)
class Network:
    """Names of nodes by kind, and their links; nodes of all kinds have different names.

    `groups` has the group of each switch of a dragonfly or of a similar topology, and is empty for others.
    """

    name: str
    hosts: tuple[str, ...]
    switches: tuple[str, ...]
    links: tuple[NetworkLink, ...]
    storage: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)

    @property
    def stations(self) -> tuple[str, ...]:
        """Hosts, then I/O nodes: all nodes that forward nothing."""
        return (*self.hosts, *self.storage)


def groups_of(switches: Iterable[str]) -> Mapping[str, str]:
    """Groups of switches that are named like those of a lab's dragonfly (`g0r1`); empty for fewer than two groups."""
    groups = {name: match[1] for name in switches if (match := _ROUTER.fullmatch(name))}
    return groups if len(set(groups.values())) > 1 else {}
