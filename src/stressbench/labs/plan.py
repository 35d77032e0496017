"""The kernel configuration of a lab: settings, commands for `ip -batch` and `tc -batch`, and files. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from stressbench.formats.lab.arbitration import Arbitration
from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.lab.paths import AGENT, CORES, HOSTS
from stressbench.formats.lab.routing import Routing
from stressbench.labs.adaptive_routes import AdaptiveSwitch, adaptive_switches, routing_line
from stressbench.labs.addresses import PREFIX_BITS, address_of, network_of
from stressbench.labs.marking import arrived_line, entering_line, hook_line
from stressbench.labs.mpi import agent_text, hosts_text
from stressbench.labs.numa import numa_files
from stressbench.labs.routing import Hop, hops
from stressbench.labs.shaping import FRAME_BYTES, token_bucket_lines, turns_lines
from stressbench.labs.storage import StoragePlan, storage_plan, volume_files
from stressbench.labs.topology import End, Lab, Link, Node, Noise

_TCP_WINDOW_BYTES = 512 * 2**10
_NOISE_LATE_S = 0.05
_ROUTE = "quickack 1 initcwnd 64"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A file below /proc/sys in a node's namespaces and its value. `optional`: older kernels may lack it."""

    file: str
    value: str
    optional: bool = False


@dataclass(frozen=True, kw_only=True)
class File:
    """A file that only the nodes of the lab see."""

    path: str
    text: str
    executable: bool = False


@dataclass(frozen=True, kw_only=True)
class NodePlan:
    """Configuration of one node: `ip` commands (`ip_first`), then `tc` commands, then further `ip` commands.

    The commands in `ip` are idempotent: they also restore a link that was down. `adaptive`: ports and paths of a
    switch that routes adaptively. `in_order`: devices whose frames of a connection are all handled by one core.
    """

    name: str
    ip_first: tuple[str, ...]
    settings: tuple[Setting, ...]
    tc: tuple[str, ...]
    ip: tuple[str, ...]
    adaptive: AdaptiveSwitch | None = None
    in_order: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NoisePlan:
    """Background traffic from one node to the address of another; `max_burst` is the maximum burst in datagrams."""

    source: str
    target: str
    address: str
    frames_per_s: float
    max_burst: int


@dataclass(frozen=True, kw_only=True)
class DirectionPlan:
    """One direction of a link, sent by `device` of node `source`."""

    link: str
    source: str
    target: str
    device: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Configuration of a whole lab. `marking_ns`: programs that mark frames by this limit have to be loaded first."""

    name: str
    nodes: tuple[NodePlan, ...]
    veth_pairs: tuple[tuple[End, End], ...]
    files: tuple[File, ...]
    noise: tuple[NoisePlan, ...] = ()
    wires: tuple[DirectionPlan, ...] = ()
    storage: StoragePlan | None = None
    marking_ns: int | None = None


def plan(lab: Lab, *, cores: Mapping[str, tuple[int, ...]] | None = None, serve_files: bool = True) -> Plan:
    """Plan the configuration of a lab. `cores`: those of each host, `serve_files`: I/O nodes serve a file system."""
    cores, io = cores or {}, lab.io if serve_files else None
    routes: dict[str, list[Hop]] = {node.name: [] for node in lab.nodes}
    if lab.forwarding is Forwarding.route:
        for rail in range(lab.rails):
            for hop in hops(lab, rail=rail):
                routes[hop.node].append(hop)
    adaptive = adaptive_switches(lab) if lab.routing is Routing.adaptive else {}
    return Plan(
        name=lab.name,
        nodes=tuple(_node_plan(lab, node, routes[node.name], adaptive.get(node.name)) for node in lab.nodes),
        veth_pairs=tuple(link.ends for link in lab.links),
        files=(
            File(path=HOSTS, text=hosts_text(lab)),
            File(path=AGENT, text=agent_text(lab), executable=True),
            *(File(path=f"{CORES}/{host}", text=",".join(map(str, numbers)) + "\n") for host, numbers in cores.items()),
            *(File(path=path, text=text) for path, text in (numa_files(lab, cores) if cores else ())),
            *(File(path=path, text=text) for path, text in (volume_files(lab, io) if io else ())),
        ),
        noise=tuple(_noise_plan(lab, noise) for noise in lab.noise),
        wires=tuple(
            DirectionPlan(link=link.name, source=end.node, target=link.opposite_end(end.node).node, device=end.device)
            for link in lab.links
            for end in link.ends
        ),
        storage=storage_plan(lab, io, cores=cores) if io else None,
        marking_ns=None if lab.marking is None else lab.marking.ns,
    )


def _noise_plan(lab: Lab, noise: Noise) -> NoisePlan:
    frames_per_s = noise.rate.bytes_per_s / FRAME_BYTES
    return NoisePlan(
        source=noise.source,
        target=noise.target,
        address=address_of(lab.node(noise.target), rail=0),
        frames_per_s=frames_per_s,
        max_burst=max(8, round(frames_per_s * _NOISE_LATE_S)),
    )


def veth_line(link_ends: tuple[End, End], pids: Mapping[str, int]) -> str:
    """`ip` command for a veth pair between two nodes; `pids` are the processes that hold their namespaces, by node."""
    one, other = (
        f"name {end.device} address {end.mac} numtxqueues 1 numrxqueues 1 netns {pids[end.node]}" for end in link_ends
    )
    return f"link add {one} type veth peer {other}"


def _node_plan(lab: Lab, node: Node, routes: list[Hop], adaptive: AdaptiveSwitch | None) -> NodePlan:
    ends = [(link, link.end_at(node.name)) for link in lab.links_of(node.name)]
    settings, ip = _station_settings(lab), tuple(_station_lines(lab, node, ends))
    ip_first: tuple[str, ...] = ()
    if node.is_switch and lab.forwarding is Forwarding.bridge:
        settings, ip = _bridge_settings(), tuple(_bridge_lines(node, ends))
        ip_first = ("link add br0 type bridge stp_state 0 forward_delay 0 mcast_snooping 0",)
    elif node.is_switch:
        settings, ip = _router_settings(lab), tuple(_router_lines(lab, node, ends, routes))
    return NodePlan(
        name=node.name, ip_first=ip_first, settings=(*_quiet_network_settings(), *settings),
        tc=tuple(line for link, end in ends for line in _queue_lines(lab, node, link, end)), ip=ip,
        adaptive=adaptive,
        in_order=tuple(end.device for _, end in ends) if lab.routing is Routing.adaptive else (),
    )  # fmt: skip


def _queue_lines(lab: Lab, node: Node, link: Link, end: End) -> Iterator[str]:
    yield from token_bucket_lines(link, end)
    if node.is_switch and lab.arbitration is Arbitration.fair:
        yield from turns_lines(link, end, [address_of(station, rail=link.rail) for station in lab.stations])
    if lab.marking is not None or (node.is_switch and lab.routing is Routing.adaptive):
        yield hook_line(end)
    if node.is_switch and lab.routing is Routing.adaptive:
        yield routing_line(node.number, end)
    if lab.marking is not None:
        if node.is_switch:
            yield entering_line(end)
        if lab.node(link.opposite_end(node.name).node).is_switch:
            yield arrived_line(end)


def _quiet_network_settings() -> tuple[Setting, ...]:
    """Avoid all unintended traffic: no IPv6, no redirects; and accept packets on any path (no reverse-path filter)."""
    return (
        Setting(file="net/ipv6/conf/all/disable_ipv6", value="1", optional=True),
        Setting(file="net/ipv6/conf/default/disable_ipv6", value="1", optional=True),
        *(
            Setting(file=f"net/ipv4/conf/{which}/{what}", value="0")
            for which in ("all", "default")
            for what in ("rp_filter", "send_redirects", "accept_redirects")
        ),
    )


def _station_settings(lab: Lab) -> tuple[Setting, ...]:
    """TCP as close to a lossless network as possible: windows below queue sizes, fast recovery, no cached metrics."""
    window = f"4096 131072 {_TCP_WINDOW_BYTES}"
    return (
        Setting(file="net/ipv4/conf/all/arp_ignore", value="1"),
        Setting(file="net/ipv4/conf/all/arp_announce", value="2"),
        Setting(file="net/ipv4/tcp_congestion_control", value="reno"),
        *(() if lab.marking is None else (Setting(file="net/ipv4/tcp_ecn", value="1"),)),
        Setting(file="net/ipv4/tcp_rmem", value=window),
        Setting(file="net/ipv4/tcp_wmem", value=window),
        Setting(file="net/ipv4/tcp_slow_start_after_idle", value="0"),
        Setting(file="net/ipv4/tcp_no_metrics_save", value="1"),
        Setting(file="net/ipv4/tcp_rto_min_us", value="5000", optional=True),
        Setting(file="net/ipv4/tcp_rto_max_ms", value="1000", optional=True),
        Setting(file="net/ipv4/tcp_retries2", value="20"),  # a connection over a cut link ends within 20 s
        Setting(file="net/ipv4/ip_unprivileged_port_start", value="0", optional=True),
        Setting(file="net/ipv4/ping_group_range", value="0 0", optional=True),
    )


def _bridge_settings() -> tuple[Setting, ...]:
    return (Setting(file="net/bridge/bridge-nf-call-iptables", value="0", optional=True),)


def _router_settings(lab: Lab) -> tuple[Setting, ...]:
    by_ports = Setting(file="net/ipv4/fib_multipath_hash_policy", value="1")
    return Setting(file="net/ipv4/ip_forward", value="1"), *((by_ports,) if lab.routing is Routing.ecmp else ())


def _station_lines(lab: Lab, node: Node, ends: list[tuple[Link, End]]) -> Iterator[str]:
    yield "link set lo up"
    for link, end in ends:
        address, network = address_of(node, rail=link.rail), network_of(link.rail)
        yield f"addr replace {address}/{PREFIX_BITS} dev {end.device} noprefixroute"
        yield f"link set {end.device} up"
        if lab.forwarding is Forwarding.bridge:
            yield f"route replace {network} dev {end.device} scope link src {address} {_ROUTE}"
            continue
        opposite = link.opposite_end(node.name)
        gateway = address_of(lab.node(opposite.node), rail=link.rail)
        yield f"neigh replace {gateway} lladdr {opposite.mac} dev {end.device} nud permanent"
        yield f"route replace {network} via {gateway} dev {end.device} onlink src {address} {_ROUTE}"


def _bridge_lines(node: Node, ends: list[tuple[Link, End]]) -> Iterator[str]:
    yield "link set lo up"
    for _, end in ends:
        yield f"link set {end.device} master br0 up"
    if ends:
        yield f"addr replace {address_of(node, rail=ends[0][0].rail)}/{PREFIX_BITS} dev br0"
    yield "link set br0 up"


def _router_lines(lab: Lab, node: Node, ends: list[tuple[Link, End]], routes: list[Hop]) -> Iterator[str]:
    """Static addresses, neighbours and routes: switches send no ARP requests."""
    yield "link set lo up"
    for rail in sorted({link.rail for link, _ in ends}):
        yield f"addr replace {address_of(node, rail=rail)}/32 dev lo"
    for link, end in ends:
        opposite = link.opposite_end(node.name)
        yield f"link set {end.device} up"
        address = address_of(lab.node(opposite.node), rail=link.rail)
        yield f"neigh replace {address} lladdr {opposite.mac} dev {end.device} nud permanent"
    for hop in routes:
        to, source = (address_of(one, rail=hop.link.rail) for one in (hop.destination, node))
        links = hop.shortest if lab.routing is Routing.ecmp else (hop.link,)
        if len(links) == 1:
            yield f"route replace {to}/32 {_next_hop(lab, hop, links[0])} src {source}"
        else:
            next_hops = " ".join(f"nexthop {_next_hop(lab, hop, link)}" for link in links)
            yield f"route replace {to}/32 src {source} {next_hops}"


def _next_hop(lab: Lab, hop: Hop, link: Link) -> str:
    device, neighbour = link.end_at(hop.node).device, link.opposite_end(hop.node).node
    if neighbour == hop.destination.name:
        return f"scope link dev {device}"
    return f"via {address_of(lab.node(neighbour), rail=link.rail)} dev {device} onlink"
