"""Adaptive routing: the ports of each switch and the paths among which it chooses. Pure.

A path to a switch is either minimal, and every switch on it chooses again, or a detour: minimal to an intermediate
switch (`via`) and minimal from there (Valiant's routing). A detour passes no switch twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from stressbench.formats.lab.paths import PROGRAMS
from stressbench.formats.units import Rate
from stressbench.labs.routing import Hop, hops
from stressbench.labs.topology import End, Lab, Link, Node

MAX_ADAPTIVE_SWITCHES = 64
"""Limit of switches: each has up to 16 paths to each of the others."""
MAX_PATHS = 16
"""Limit of paths among which a switch chooses, those of the fewest links."""
_PS_PER_S = 10**12
_LINKS_OF_CHOICE = {"dragonfly": 1}  # cost of links beyond which switches may still choose a detour: within a group
_LAST = 65_000  # filters without a preference have 49152 and less
_WITHOUT_DETOURS = frozenset({"fat-tree"})  # a path that goes up again after it came down is of no use


@dataclass(frozen=True, kw_only=True)
class AdaptivePort:
    """An output port of a switch. `decides`: the switch at the opposite end, with this MAC, may choose a detour."""

    device: str
    mac: str
    decides: bool
    ps_per_byte: int


@dataclass(frozen=True, kw_only=True)
class AdaptivePath:
    """A path that begins at a port and has this number of links; `via` is None if it is minimal."""

    port: int
    via: int | None
    links: int


@dataclass(frozen=True, kw_only=True)
class AdaptiveRoute:
    """Paths to another switch, and the port of the static one."""

    target: int
    first: int
    paths: tuple[AdaptivePath, ...]


@dataclass(frozen=True, kw_only=True)
class AdaptiveSwitch:
    """What the program of a switch needs to know; `number` is that of the node.

    `stations`: for each station by number, its switch (None: on no such rail) and, if that is this one, its port.
    """

    number: int
    ports: tuple[AdaptivePort, ...]
    routes: tuple[AdaptiveRoute, ...]
    stations: tuple[tuple[int | None, int], ...]


def ps_per_byte(rate: Rate) -> int:
    """Time for which a byte occupies a link of this rate, ps."""
    return round(_PS_PER_S / rate.bytes_per_s)


def routing_program(switch: int) -> str:
    """Where the program of the switch with this number is kept."""
    return f"{PROGRAMS}/route-{switch}"


def routing_line(switch: int, end: End) -> str:
    """`tc` command for each end of a link at the switch, after programs that note or remove times of frames."""
    return f"filter add dev {end.device} ingress pref {_LAST} bpf direct-action object-pinned {routing_program(switch)}"


def ports_of(lab: Lab, switch: str) -> tuple[Link, ...]:
    """The links at the ports of a switch, by the numbers of ports."""
    return lab.links_of(switch)


def adaptive_switches(lab: Lab) -> Mapping[str, AdaptiveSwitch]:
    """The ports and paths of each switch, by its name."""
    made: dict[str, AdaptiveSwitch] = {}
    for rail in range(lab.rails):
        tables = _Tables(lab, rail)
        made |= {switch.name: tables.switch(switch) for switch in tables.switches}
    return made


class _Tables:
    """The static routes of a rail, by number of switch."""

    def __init__(self, lab: Lab, rail: int) -> None:
        self._lab = lab
        self.switches = [one for one in lab.switches if any(link.rail == rail for link in lab.links_of(one.name))]
        self._numbers = {one.name: one.number for one in self.switches}
        self._hops = {
            (self._numbers[hop.node], hop.destination.number): hop
            for hop in hops(lab, rail=rail)
            if hop.destination.name in self._numbers
        }
        self._paths = {pair: tuple(self._static_path(*pair)) for pair in self._hops}
        self._at = {
            station.number: self._numbers[link.opposite_end(station.name).node]
            for station in lab.stations
            for link in lab.links_of(station.name)
            if link.rail == rail
        }

    def switch(self, switch: Node) -> AdaptiveSwitch:
        """The ports and paths of one switch."""
        links = ports_of(self._lab, switch.name)
        others = {link.opposite_end(switch.name).node: port for port, link in enumerate(links)}
        targets = [one.number for one in self.switches if (switch.number, one.number) in self._hops]
        return AdaptiveSwitch(
            number=switch.number,
            ports=tuple(self._port(switch, link) for link in links),
            routes=tuple(self._route(switch, target, links) for target in targets),
            stations=tuple(
                (self._at.get(station.number), others.get(station.name, 0)) for station in self._lab.stations
            ),
        )

    def _port(self, switch: Node, link: Link) -> AdaptivePort:
        end = link.opposite_end(switch.name)
        decides = link.cost == _LINKS_OF_CHOICE.get(self._lab.shape) and end.node in self._numbers
        device = link.end_at(switch.name).device
        return AdaptivePort(device=device, mac=end.mac, decides=decides, ps_per_byte=ps_per_byte(link.rate))

    def _route(self, switch: Node, target: int, links: Sequence[Link]) -> AdaptiveRoute:
        hop = self._hops[switch.number, target]
        minimal = [
            AdaptivePath(port=links.index(link), via=None, links=self._links_after(switch, link, target))
            for link in hop.shortest
        ]
        detours = sorted(self._detours(switch.number, hop, links), key=lambda path: path.links)
        return AdaptiveRoute(
            target=target, first=links.index(hop.link), paths=tuple([*minimal[:MAX_PATHS], *detours][:MAX_PATHS])
        )

    def _links_after(self, switch: Node, link: Link, target: int) -> int:
        neighbour = self._numbers[link.opposite_end(switch.name).node]
        return 1 + (0 if neighbour == target else len(self._paths[neighbour, target]))

    def _detours(self, source: int, hop: Hop, links: Sequence[Link]) -> Iterator[AdaptivePath]:
        if self._lab.shape in _WITHOUT_DETOURS:
            return
        target = hop.destination.number
        seen = {self._paths[source, target]}
        for via in self._numbers.values():
            if via in (source, target) or (source, via) not in self._paths or (via, target) not in self._paths:
                continue
            nodes = self._paths[source, via] + self._paths[via, target]
            first = self._hops[source, via].link
            if nodes in seen or len({source, *nodes}) <= len(nodes) or first in hop.shortest:
                continue
            seen.add(nodes)
            yield AdaptivePath(port=links.index(first), via=via, links=len(nodes))

    def _static_path(self, source: int, target: int) -> Iterator[int]:
        """The switches after `source` up to `target`."""
        while source != target:
            hop = self._hops[source, target]
            source = self._numbers[hop.link.opposite_end(hop.node).node]
            yield source
