"""The output of `ibnetdiscover`, the topology of an InfiniBand fabric. Pure."""

import re
from collections import Counter
from dataclasses import dataclass, field

from stressbench.formats.topology.errors import LineMistakes
from stressbench.formats.topology.network import MAX_HOSTS, MAX_LINKS, MAX_SWITCHES, Network, NetworkLink

FIRST_LINE = re.compile(r"\s*(?:ibwarn: |# Topology file:|vendid=|devid=|Non-Chassis Nodes|Chassis )")
"""Matches a first line of such a file that is not empty."""
_NODE = re.compile(r'(Switch|Ca|Rt)\s+[0-9]+\s+"([^"]+)"(?:\s+#\s*"([^"]*)")?')
_PORT = re.compile(r'\[([0-9]+)\](?:\[ext [0-9]+\])?(?:\([0-9a-fx]+\))?\s+"([^"]+)"\[([0-9]+)\](.*)')
_SPEED = re.compile(r"\b(1|2|4|8|12)x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)\b")
_OTHER = re.compile(r"ibwarn: |(?:vendid|devid|sysimgguid|switchguid|caguid|rtguid)=|Non-Chassis Nodes|Chassis ")
_AGGREGATION = re.compile(r"Aggregation Node$")
"""Matches the description of an adapter within a switch, which computes reductions (SHARP)."""
_NO_HOST = re.compile(r"\s*(?:MT[0-9]+ |.*Mellanox Technologies$|(?:localhost(?:\.\S*)?|\(none\))(?:\s|$))")
"""Matches the description of an adapter that nobody gave the name of its host."""
_MANAGED = re.compile(r"MF0;([^:;]+):")
"""Matches the description of a managed switch, `MF0;NAME:MODEL/U1`."""
_LANE_BITS_PER_S = {
    "SDR": 2_000_000_000, "DDR": 4_000_000_000, "QDR": 8_000_000_000, "FDR10": 10_000_000_000, "FDR": 13_636_363_636,
    "EDR": 25_000_000_000, "HDR": 50_000_000_000, "NDR": 100_000_000_000, "XDR": 200_000_000_000,
}  # fmt: skip
"""Data rate of a lane, without its encoding (InfiniBand Architecture Specification, volume 2)."""


@dataclass(kw_only=True)
class _Node:
    guid: str
    kind: str
    description: str
    line: int
    ports: dict[int, tuple[int, str, int, int | None]] = field(default_factory=dict)
    """Line, other node, its port and rate (bit/s), by port."""

    @property
    def is_aggregation(self) -> bool:
        """Whether it is an adapter within a switch."""
        return self.kind == "Ca" and _AGGREGATION.search(self.description) is not None

    @property
    def name(self) -> str:
        """The name of the host, or of the switch as its administrator has set it; empty if it has none."""
        if self.kind == "Ca":
            words = self.description.split()
            return "" if not words or _NO_HOST.match(self.description) else words[0]
        managed = _MANAGED.match(self.description)
        return "" if managed is None else managed[1]


def parse_ibnetdiscover(text: str, *, name: str, source: str) -> Network:
    """The switches and hosts of the fabric; a host with several adapters is one host.

    Hosts have the first word of their adapter's description as their name, as the subnet manager shows it, or the GUID
    where the description is the manufacturer's; managed switches have their name, others their description, or the GUID
    where two are described alike. Aggregation nodes, which are parts of switches, are left out. Raises TopologyMistake
    with `source` and line of every mistake.
    """
    mistakes = LineMistakes(source)
    nodes = _nodes(text, mistakes)
    for node in nodes.values():
        for line, other, port, _ in node.ports.values():
            if other not in nodes:
                mistakes.add(line, other, "expected a node that this file describes, with a line Switch or Ca")
            elif node.kind == "Ca" and nodes[other].kind == "Ca" and (port not in nodes[other].ports):
                mistakes.add(line, other, f"has no port {port} in line {nodes[other].line}")
    if not mistakes.found and not any(node.kind == "Ca" and not node.is_aggregation for node in nodes.values()):
        mistakes.add(1, name, 'has no hosts; expected the output of ibnetdiscover, with lines such as Ca 1 "H-..."')
    mistakes.raise_if_any()
    nodes = {guid: node for guid, node in nodes.items() if not node.is_aggregation}
    names = _names(nodes)
    hosts = tuple(dict.fromkeys(names[node.guid] for node in nodes.values() if node.kind == "Ca"))
    switches = tuple(names[node.guid] for node in nodes.values() if node.kind != "Ca")
    links = _links(nodes, names)
    if max(len(hosts) / MAX_HOSTS, len(switches) / MAX_SWITCHES, len(links) / MAX_LINKS) > 1:
        mistakes.add(1, name, f"is too large; expected at most {MAX_HOSTS:,} hosts and {MAX_SWITCHES:,} switches")
    mistakes.raise_if_any()
    return Network(name=name, hosts=hosts, switches=switches, links=links)


def _nodes(text: str, mistakes: LineMistakes) -> dict[str, _Node]:
    nodes: dict[str, _Node] = {}
    current: _Node | None = None
    for line, content in enumerate(text.splitlines(), start=1):
        words = content.strip()
        if not words or words.startswith("#") or _OTHER.match(words):
            continue
        if match := _NODE.match(words):
            kind, guid, description = match.groups()
            if guid in nodes:
                mistakes.add(line, guid, f"is the node of line {nodes[guid].line}; expected each node once")
            current = nodes[guid] = _Node(guid=guid, kind=kind, description=description or "", line=line)
        elif (match := _PORT.match(words)) and current is not None:
            speed = _SPEED.search(match[4])
            rate = None if speed is None else int(speed[1]) * _LANE_BITS_PER_S[speed[2]]
            current.ports[int(match[1])] = (line, match[2], int(match[3]), rate)
        else:
            mistakes.add(
                line, words, 'expected a node (Switch 24 "S-GUID" or Ca 1 "H-GUID") or a port ([1] "H-GUID"[1])'
            )
    return nodes


def _names(nodes: dict[str, _Node]) -> dict[str, str]:
    """Names by GUID."""
    switches = [node for node in nodes.values() if node.kind != "Ca"]
    known = Counter(name for node in switches for name in {node.name, node.description})
    names = {
        node.guid: next((name for name in (node.name, node.description) if name and known[name] == 1), node.guid)
        for node in switches
    } | {node.guid: node.name or node.guid for node in nodes.values() if node.kind == "Ca"}
    hosts = {names[node.guid] for node in nodes.values() if node.kind == "Ca"}
    return {guid: guid if nodes[guid].kind != "Ca" and name in hosts else name for guid, name in names.items()}


def _links(nodes: dict[str, _Node], names: dict[str, str]) -> tuple[NetworkLink, ...]:
    """Each link once, although both of its ends list it; parallel links of the same rate together."""
    seen: set[frozenset[tuple[str, int]]] = set()
    counts: dict[tuple[str, str, int | None], int] = {}
    for node in nodes.values():
        for port, (_, other, other_port, rate) in node.ports.items():
            ends = frozenset({(node.guid, port), (other, other_port)})
            if ends in seen or node.guid == other or other not in nodes:
                continue
            seen.add(ends)
            a, b = sorted((node, nodes[other]), key=lambda one: one.kind != "Ca")
            counts[names[a.guid], names[b.guid], rate] = counts.get((names[a.guid], names[b.guid], rate), 0) + 1
    return tuple(NetworkLink(a=a, b=b, rate_bits_per_s=rate, count=count) for (a, b, rate), count in counts.items())
