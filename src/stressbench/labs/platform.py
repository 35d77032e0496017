"""A lab as a SimGrid platform file (XML) with the same hosts, links, rates and routes. Pure.

Format: https://simgrid.org/doc/latest/Platform.html
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from stressbench.formats.lab.errors import LabMistake
from stressbench.labs.routing import hops
from stressbench.labs.topology import IoService, Lab, Link, NodeKind

_HEAD = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
_SPEED = "1Gf"  # required by SimGrid, but without effect: motifs compute for given times
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
    disk. Raises LabMistake for labs with several rails or noise, which SimGrid cannot represent.
    """
    require_simulatable(lab)
    root = Element("platform", version="4.1")
    zone = SubElement(root, "zone", id=lab.name, routing="Full")
    for node in lab.stations:
        cores = str(node.cores) if node.kind is NodeKind.host else "1"
        host = SubElement(zone, "host", id=node.name, speed=_SPEED, core=cores)
        if lab.io is not None and node.kind is NodeKind.io:
            _describe_io_node(host, lab, lab.io)
    for link in lab.links:
        SubElement(
            zone, "link", id=link.name, bandwidth=f"{link.rate.bytes_per_s:.12g}Bps",
            latency=f"{_HOP_NS + (link.delay.ns if link.delay else 0)}ns", sharing_policy="SPLITDUPLEX",
        )  # fmt: skip
    disks = dict(_disks(lab))
    for (node_name, way), rate in disks.items():
        SubElement(
            zone, "link", id=_disk(node_name, way), bandwidth=f"{float(rate / PAYLOAD_SHARE):.12g}Bps", latency="0ns"
        )  # fmt: skip
    for source, target, links in _routes(lab):
        route = SubElement(zone, "route", src=source, dst=target, symmetrical="NO")
        if (source, "read") in disks:
            SubElement(route, "link_ctn", id=_disk(source, "read"))
        for link, direction in links:
            SubElement(route, "link_ctn", id=link.name, direction=direction)
        if (target, "write") in disks:
            SubElement(route, "link_ctn", id=_disk(target, "write"))
    indent(root)
    return _HEAD + tostring(root, encoding="unicode") + "\n"


def _describe_io_node(host: Element, lab: Lab, io: IoService) -> None:
    """Properties that engine/io/simulated/io_nodes.cpp reads."""
    name = host.attrib["id"]
    (link,) = lab.links_of(name)
    values = {
        "number": io.nodes.index(name),
        "capacity": io.capacity.count,
        "stripe": io.stripe.count if io.stripe else 0,
        "link": link.name,
        "peer": link.opposite_end(name).node,
        "rate": link.rate.bits_per_s,
    }
    for key, value in values.items():
        SubElement(host, "prop", id=f"io-{key}", value=str(value))


def _disks(lab: Lab) -> Iterator[tuple[tuple[str, str], int]]:
    """Disks of I/O nodes by node and direction, with their rate in bytes per second."""
    if lab.io is None:
        return
    for node in lab.io.nodes:
        if lab.io.disk_write is not None:
            yield (node, "write"), lab.io.disk_write.count
        if lab.io.disk_read is not None:
            yield (node, "read"), lab.io.disk_read.count


def _disk(node: str, way: str) -> str:
    return f"{node}-disk-{way}"


def _routes(lab: Lab) -> Iterator[tuple[str, str, tuple[tuple[Link, str], ...]]]:
    """Routes between all pairs of stations as links with directions; UP is from the first to the second end."""
    table = {(hop.node, hop.destination.name): hop.link for hop in hops(lab, rail=0)}
    nic = {node.name: lab.links_of(node.name)[0] for node in lab.stations}
    for source in lab.stations:
        for target in lab.stations:
            if source is not target:
                yield source.name, target.name, tuple(_route(source.name, target.name, nic, table))


def _route(
    source: str, target: str, nic: Mapping[str, Link], table: Mapping[tuple[str, str], Link]
) -> Iterator[tuple[Link, str]]:
    node = source
    while node != target:
        link = nic[node] if node == source else table[node, target]
        yield link, "UP" if link.a.node == node else "DOWN"
        node = link.opposite_end(node).node
