"""A lab as the platform file of SimGrid's engine: the same hosts, links, rates and routes. Pure.

The format: docs/how-to/simgrid.md; engine/platform/platform.cpp reads it.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import groupby

from stressbench.formats.lab.errors import LabMistake
from stressbench.labs.routing import hops
from stressbench.labs.topology import IoService, Lab, NodeKind

_HOP_NS = 10_000  # latency of a link, about that of a veth pair

PAYLOAD_SHARE = Fraction(1448, 1514)
"""Payload of a full frame: the share of a link's bandwidth that a transfer uses."""


def require_simulatable(lab: Lab) -> None:
    """Raise LabMistake for labs with several rails or noise, which no simulator here can represent."""
    if lab.rails > 1:
        raise LabMistake(
            f"{lab.name} has {lab.rails} rails: a simulated host has one; take a lab with a single [[rail]]"
        )
    if lab.noise:
        raise LabMistake(f"{lab.name} has [[noise]]: simulated links carry only what ranks send; leave it out")


def platform_of(lab: Lab) -> str:
    """Text of the platform file; hosts and links keep their names.

    The bandwidth of a link is its rate including headers; the share of payload is a SimGrid setting of the run. A disk
    is one more link of the routes to or from its I/O node, so that data move at the rate of the slowest of network and
    disk. Tables of switches give the routes: a line for each range of consecutive hosts with the same link. Raises
    LabMistake for labs with several rails or noise, which SimGrid cannot represent.
    """
    require_simulatable(lab)
    return "".join(f"{line}\n" for line in _lines(lab))


def _lines(lab: Lab) -> Iterator[str]:
    yield "stressbench-platform 1"
    for node in lab.stations:
        yield f"host {node.name} {node.cores if node.kind is NodeKind.host else 1}"
    if lab.io is not None:
        for name in lab.io.nodes:
            yield from (f"property {name} {key} {value}" for key, value in _io_properties(lab, lab.io, name).items())
    yield from (f"switch {node.name}" for node in lab.switches)
    for link in lab.links:
        latency_ns = _HOP_NS + (link.delay.ns if link.delay else 0)
        yield f"link {link.name} {link.a.node} {link.b.node} {link.rate.bytes_per_s:.12g} {latency_ns}"
    for name, way, rate in _disks(lab):
        yield f"disk {name} {way} {float(rate / PAYLOAD_SHARE):.12g}"
    for switch, link_name, first, last in _routes(lab):
        yield f"route {switch} {link_name} {first} {last}"


def _io_properties(lab: Lab, io: IoService, name: str) -> Mapping[str, object]:
    """What engine/io/simulated/io_nodes.cpp reads about an I/O node."""
    (link,) = lab.links_of(name)
    return {
        "io-number": io.nodes.index(name),
        "io-capacity": io.capacity.count,
        "io-stripe": io.stripe.count if io.stripe else 0,
        "io-link": link.name,
        "io-peer": link.opposite_end(name).node,
        "io-rate": link.rate.bits_per_s,
    }


def _disks(lab: Lab) -> Iterator[tuple[str, str, int]]:
    """Disks of I/O nodes: the node, `write` or `read`, and the rate in bytes per second."""
    if lab.io is None:
        return
    for name in lab.io.nodes:
        if lab.io.disk_write is not None:
            yield name, "write", lab.io.disk_write.count
        if lab.io.disk_read is not None:
            yield name, "read", lab.io.disk_read.count


def _routes(lab: Lab) -> Iterator[tuple[str, str, str, str]]:
    """Names of a switch, of a link, and of the first and the last of consecutive stations that it leads to."""
    links: dict[str, dict[str, str]] = {switch.name: {} for switch in lab.switches}
    for hop in hops(lab, rail=0):
        links[hop.node][hop.destination.name] = hop.link.name
    for switch, table in links.items():
        for link, stations in groupby(lab.stations, key=lambda station: table.get(station.name)):
            first, *others = stations
            if link is not None:
                yield switch, link, first.name, (others or [first])[-1].name
