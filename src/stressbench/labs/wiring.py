"""Input and output of topology shapes: hosts with NICs, and the switches and links that connect them. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.units import Duration, Rate
from stressbench.labs.topology import PathChoice


class WiringMistake(Exception):
    """The topology does not fit the hosts; `key` is the wrong key of the `[topology]` table, "" for the whole table."""

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        super().__init__(message)


@dataclass(frozen=True, kw_only=True)
class Rail:
    """A rail: the network formed by one NIC of every host. `rate` is that of the NICs."""

    rate: Rate
    delay: Duration | None = None


@dataclass(frozen=True, kw_only=True)
class LinkSpec:
    """A `[[link]]` table of a lab file; an end is `NODE` or `HOST:ethN`."""

    between: tuple[str, str]
    rate: Rate
    delay: Duration | None
    name: str | None
    number: int


@dataclass(frozen=True, kw_only=True)
class WiringInput:
    """Host names, rails, and the `[[link]]` tables."""

    hosts: tuple[str, ...]
    rails: tuple[Rail, ...]
    links: tuple[LinkSpec, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Wire:
    """A link between nodes `a` and `b` on a rail; `rate` is None for the rate of the host's NIC."""

    a: str
    b: str
    rail: int
    rate: Rate | None
    delay: Duration | None = None
    name: str | None = None
    cost: int = 1


@dataclass(frozen=True, kw_only=True)
class Wiring:
    """Switch names, and wires: those of hosts first, then those between switches."""

    switches: tuple[str, ...]
    wires: tuple[Wire, ...]
    forwarding: Forwarding
    path_choice: PathChoice = PathChoice.first


MAX_LINKS = 1_200
"""Limit of links per lab: more than one machine can run, and few enough to be drawn and routed quickly."""

MAX_SWITCHES = MAX_LINKS
"""Limit of switches per lab, of which those without a link are of no use."""

MAX_RAILS = 8
"""Limit of rails, which are the NICs of a host."""


@dataclass(frozen=True)
class Trunk:
    """A link between two switches."""

    a: str
    b: str
    rate: Rate
    cost: int = 1


@dataclass(frozen=True, kw_only=True)
class RailNetwork:
    """The network of one rail: switch names, the switch of each host (in host order), and trunks between switches."""

    switches: tuple[str, ...]
    attached: tuple[str, ...]
    trunks: tuple[Trunk, ...] = ()


def fill_switches(
    inputs: WiringInput, switches: Sequence[str], hosts_per_switch: int, *, sizes: str, key: str
) -> tuple[str, ...]:
    """The switch of each host if hosts fill one switch after the other.

    Raises WiringMistake for `key` if the topology's `sizes` (as text) do not match the number of hosts.
    """
    capacity = len(switches) * hosts_per_switch
    if capacity != len(inputs.hosts):
        raise WiringMistake(key, f"{sizes} is {capacity}, but there are {len(inputs.hosts)} hosts")
    return tuple(switches[host // hosts_per_switch] for host in range(capacity))


def leaf_count(inputs: WiringInput, hosts_per_leaf: int, *, key: str) -> int:
    """Number of switches that the hosts fill. Raises WiringMistake if the last one would be filled partly."""
    leaves, rest = divmod(len(inputs.hosts), hosts_per_leaf)
    if rest:
        raise WiringMistake(key, f"{hosts_per_leaf} does not divide {len(inputs.hosts)} hosts")
    return leaves


def on_every_rail(
    inputs: WiringInput,
    build: Callable[[Rail], RailNetwork],
    *,
    forwarding: Forwarding,
    path_choice: PathChoice = PathChoice.first,
) -> Wiring:
    """Build the network of each rail with its own switches: `leaf0` and, on the second rail, `leaf0.1`.

    Raises WiringMistake above MAX_LINKS links.
    """
    switches: list[str] = []
    wires: list[Wire] = []
    first = build(inputs.rails[0])
    links = len(inputs.rails) * (len(first.attached) + len(first.trunks))
    if links > MAX_LINKS:
        raise WiringMistake("", f"{links} links: expected at most {MAX_LINKS}")
    for number, rail in enumerate(inputs.rails):
        rail_network = build(rail)
        suffix = f".{number}" if number else ""
        switches += [name + suffix for name in rail_network.switches]
        wires += [
            Wire(a=host, b=switch + suffix, rail=number, rate=None, delay=rail.delay)
            for host, switch in zip(inputs.hosts, rail_network.attached, strict=True)
        ]
        wires += [
            Wire(a=trunk.a + suffix, b=trunk.b + suffix, rail=number, rate=trunk.rate, cost=trunk.cost)
            for trunk in rail_network.trunks
        ]
    return Wiring(switches=tuple(switches), wires=tuple(wires), forwarding=forwarding, path_choice=path_choice)


def with_wires(wiring: Wiring, *, switches: tuple[str, ...], wires: tuple[Wire, ...]) -> Wiring:
    """The wiring with additional switches and wires."""
    return replace(wiring, switches=(*wiring.switches, *switches), wires=(*wiring.wires, *wires))
