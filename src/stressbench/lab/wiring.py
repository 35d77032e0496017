"""What a shape is given, and what it makes of it: who is joined to whom, at which rate. Pure values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.units import Duration, Rate
from stressbench.lab.topology import Spread


class WiringMistake(Exception):
    """The hosts cannot be wired like this; `key` of the shape's table is to blame, "" is the whole table."""

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        super().__init__(message)


@dataclass(frozen=True, kw_only=True)
class Rail:
    """A network card that each host has."""

    rate: Rate
    delay: Duration | None = None


@dataclass(frozen=True, kw_only=True)
class WrittenLink:
    """A link as `[[link]]` writes it; an end is `NODE` or `HOST:ethN`."""

    between: tuple[str, str]
    rate: Rate
    delay: Duration | None
    name: str | None
    number: int


@dataclass(frozen=True, kw_only=True)
class Site:
    """Hosts by name, the cards of all, and links that are written one by one."""

    hosts: tuple[str, ...]
    rails: tuple[Rail, ...]
    links: tuple[WrittenLink, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Wire:
    """A link between `a` and `b` on a rail; None as a rate leaves it to the host's card."""

    a: str
    b: str
    rail: int
    rate: Rate | None
    delay: Duration | None = None
    name: str | None = None
    cost: int = 1


@dataclass(frozen=True, kw_only=True)
class Wiring:
    """Switches by name, and wires: those of hosts first, then those between switches."""

    switches: tuple[str, ...]
    wires: tuple[Wire, ...]
    forwarding: Forwarding
    spread: Spread = Spread.first


MOST_LINKS = 1_000
"""Of a lab: far more than one machine can hold, and few enough to be drawn and routed at once."""


@dataclass(frozen=True)
class Trunk:
    """A link between two switches."""

    a: str
    b: str
    rate: Rate
    cost: int = 1


@dataclass(frozen=True, kw_only=True)
class Plane:
    """One rail's network: the switch of each host, in their order, and trunks between switches."""

    switches: tuple[str, ...]
    attached: tuple[str, ...]
    trunks: tuple[Trunk, ...] = ()


def filled(site: Site, switches: Sequence[str], hosts_per_switch: int, *, sizes: str, key: str) -> tuple[str, ...]:
    """Each host's switch, where hosts fill switch after switch. Raises WiringMistake if the `sizes` do not fit."""
    places = len(switches) * hosts_per_switch
    if places != len(site.hosts):
        raise WiringMistake(key, f"{sizes} is {places}, but there are {len(site.hosts)} hosts")
    return tuple(switches[host // hosts_per_switch] for host in range(places))


def leaves_of(site: Site, hosts_per_leaf: int, *, key: str) -> int:
    """How many switches such hosts fill. Raises WiringMistake where one would be filled in part."""
    leaves, rest = divmod(len(site.hosts), hosts_per_leaf)
    if rest:
        raise WiringMistake(key, f"{hosts_per_leaf} does not divide {len(site.hosts)} hosts")
    return leaves


def on_every_rail(
    site: Site, build: Callable[[Rail], Plane], *, forwarding: Forwarding, spread: Spread = Spread.first
) -> Wiring:
    """The same network once a rail, each with switches of its own: `leaf0` and, of the second rail, `leaf0.1`.

    Raises WiringMistake where that is too many links.
    """
    switches: list[str] = []
    wires: list[Wire] = []
    first = build(site.rails[0])
    links = len(site.rails) * (len(first.attached) + len(first.trunks))
    if links > MOST_LINKS:
        raise WiringMistake("", f"{links} links: expected at most {MOST_LINKS}")
    for number, rail in enumerate(site.rails):
        plane = build(rail)
        ending = f".{number}" if number else ""
        switches += [name + ending for name in plane.switches]
        wires += [
            Wire(a=host, b=switch + ending, rail=number, rate=None, delay=rail.delay)
            for host, switch in zip(site.hosts, plane.attached, strict=True)
        ]
        wires += [
            Wire(a=trunk.a + ending, b=trunk.b + ending, rail=number, rate=trunk.rate, cost=trunk.cost)
            for trunk in plane.trunks
        ]
    return Wiring(switches=tuple(switches), wires=tuple(wires), forwarding=forwarding, spread=spread)


def with_wires(wiring: Wiring, *, switches: tuple[str, ...], wires: tuple[Wire, ...]) -> Wiring:
    """The same with more of both."""
    return replace(wiring, switches=(*wiring.switches, *switches), wires=(*wiring.wires, *wires))
