"""Assembly of a `Lab` from the tables of its file, with all checks that concern several tables. Pure."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from stressbench.formats.lab.arbitration import Arbitration
from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.lab.routing import Routing
from stressbench.formats.lab.tables import LabTable
from stressbench.formats.lab.topologies import Topology
from stressbench.formats.toml.complaints import Complaint, ValidationMistakes, unknown_message
from stressbench.formats.toml.lines import KeyPath
from stressbench.formats.units import Rate
from stressbench.labs.adaptive_routes import MAX_ADAPTIVE_SWITCHES
from stressbench.labs.addresses import mac_of
from stressbench.labs.routing import cycle, unreachable
from stressbench.labs.shapes import wire_of
from stressbench.labs.shaping import MAX_FAIR_STATIONS
from stressbench.labs.topology import End, IoService, Lab, Link, Node, NodeKind, Noise
from stressbench.labs.wiring import MAX_RAILS, LinkSpec, Rail, Wire, Wiring, WiringInput, WiringMistake, with_wires

_RESERVED = frozenset({"lo", "br0", "all", "default", "localhost", "hosts"})
_LONGEST_DEVICE = 15
_MOST_NOISE = 64
_ADAPTIVE_SHAPES = ("dragonfly", "fat-tree")  # on a ring, two streams together got less than a link carries


def assemble(*, name: str, table: LabTable, topology: Topology) -> Lab:
    """Assemble the lab. Raises ValidationMistakes with a complaint for every error that can be found."""
    _raise_if_any(_rail_complaints(table, topology))
    hosts = tuple(f"{table.hosts.name}{number}" for number in range(table.hosts.count))
    _raise_if_any(_host_complaints(table, hosts))
    wiring = _wire(table, topology, hosts)
    stations = _stations(table, hosts)
    switches = tuple(
        Node(name=switch, kind=NodeKind.switch, number=number) for number, switch in enumerate(wiring.switches)
    )
    _raise_if_any(_name_complaints((*(node.name for node in stations), *wiring.switches)))
    rates = _rates(table, hosts)
    rails = 1 + max((wire.rail for wire in wiring.wires), default=0)
    lab = Lab(
        name=name,
        about=table.about,
        shape=topology.kind,
        nodes=(*stations, *switches),
        links=_links(wiring, rates, table),
        rails=rails,
        forwarding=wiring.forwarding,
        path_choice=wiring.path_choice,
        routing=table.routing,
        arbitration=table.arbitration,
        marking=table.marking,
        pinned=table.hosts.pinned,
        sockets=table.hosts.sockets,
        nic_sockets=_nic_sockets(table, rails),
        io=None if table.io is None else _io_service(table, stations),
        noise=tuple(Noise(source=one.from_, target=one.to, rate=one.rate) for one in table.noise),
    )
    _raise_if_any(_lab_complaints(lab))
    return lab


def _raise_if_any(complaints: Iterator[Complaint]) -> None:
    found_complaints = tuple(complaints)
    if found_complaints:
        raise ValidationMistakes(found_complaints)


def _rail_complaints(table: LabTable, topology: Topology) -> Iterator[Complaint]:
    by_link = topology.kind == "links"
    if by_link and table.rail:
        yield Complaint(place=("rail", 0), text='[[rail]]: with kind = "links" every [[link]] states its own rate')
    if not by_link and not table.rail:
        yield Complaint(
            place=("hosts",), text='[[rail]] is missing: it states the rate of a host\'s NIC, such as rate = "1Gbit"'
        )
    if not by_link and table.link:
        yield Complaint(
            place=("link", 0), text=f'[[link]]: kind = "{topology.kind}" makes the links; use kind = "links"'
        )
    if len(table.rail) > MAX_RAILS:
        yield Complaint(place=("rail", MAX_RAILS), text=f"[[rail]]: expected at most {MAX_RAILS}")
    last = table.hosts.sockets - 1
    for number, rail in enumerate(table.rail):
        if rail.socket is not None and rail.socket > last:
            expected = f"0 to {last}" if last else "0, or hosts.sockets"
            yield Complaint(
                place=("rail", number, "socket"), text=f"rail.socket: {rail.socket}: expected {expected}"
            )  # fmt: skip


def _host_complaints(table: LabTable, hosts: tuple[str, ...]) -> Iterator[Complaint]:
    seen: set[str] = set()
    if table.hosts.cores % table.hosts.sockets:
        yield Complaint(place=("hosts", "sockets"), text=f"hosts.sockets: {_uneven(table.hosts.cores, table)}")
    for number, host in enumerate(table.host):
        if host.cores is not None and host.cores % table.hosts.sockets:
            yield Complaint(place=("host", number, "cores"), text=f"host.cores: {_uneven(host.cores, table)}")
        place: KeyPath = ("host", number, "name")
        if host.name not in hosts:
            yield Complaint(place=place, text=f"'{host.name}' is not a host; they are {hosts[0]} to {hosts[-1]}")
        elif host.name in seen:
            yield Complaint(place=place, text=f"'{host.name}' has more than one [[host]]")
        seen.add(host.name)
        if host.rates is not None and len(host.rates) != len(table.rail):
            counts = f"{len(host.rates)} rates, but {len(table.rail)} rails"
            yield Complaint(place=("host", number, "rates"), text=f"host.rates: {counts}: expected one a [[rail]]")
    if len(table.noise) > _MOST_NOISE:
        yield Complaint(place=("noise", _MOST_NOISE), text=f"[[noise]]: expected at most {_MOST_NOISE}")
        return
    for number, noise in enumerate(table.noise):
        for key, host_name in (("from", noise.from_), ("to", noise.to)):
            if host_name not in hosts:
                yield Complaint(place=("noise", number, key), text=f"noise.{key}: '{host_name}' is not a host")
        if noise.from_ == noise.to:
            yield Complaint(place=("noise", number, "to"), text=f"noise.to: '{noise.to}' would send to itself")


def _uneven(cores: int, table: LabTable) -> str:
    return f"{cores} cores on {table.hosts.sockets} sockets: expected as many on each"


def _nic_sockets(table: LabTable, rails: int) -> tuple[int, ...]:
    """The socket of the NIC of each rail: as stated, or one after the other."""
    stated = {number: rail.socket for number, rail in enumerate(table.rail) if rail.socket is not None}
    return tuple(stated.get(rail, rail % table.hosts.sockets) for rail in range(rails))


def _wire(table: LabTable, topology: Topology, hosts: tuple[str, ...]) -> Wiring:
    link_specs = tuple(
        LinkSpec(between=link.between, rate=link.rate, delay=link.delay, name=link.name, number=number)
        for number, link in enumerate(table.link)
    )
    rails = tuple(Rail(rate=rail.rate, delay=rail.delay) for rail in table.rail)
    try:
        wiring = wire_of(topology)(topology, WiringInput(hosts=hosts, rails=rails, links=link_specs))
    except WiringMistake as mistake:
        raise ValidationMistakes([_wiring_complaint(mistake)]) from mistake
    return wiring if table.io is None else _with_io(wiring, table)


def _wiring_complaint(mistake: WiringMistake) -> Complaint:
    if mistake.key.startswith("link."):
        _, number, key = mistake.key.split(".")
        return Complaint(place=("link", int(number), key), text=f"link.{key}: {mistake}")
    place: KeyPath = ("topology", mistake.key) if mistake.key else ("topology",)
    return Complaint(place=place, text=f"topology{'.' if mistake.key else ''}{mistake.key}: {mistake}")


def _with_io(wiring: Wiring, table: LabTable) -> Wiring:
    """Add the I/O nodes, on the first rail only, and a switch of their own if `io.uplink` is given."""
    io = table.io
    assert io is not None
    unknown = [switch for switch in io.attach if switch not in wiring.switches]
    if unknown:
        raise _attach_mistake(unknown_message("switch", unknown[0], wiring.switches))
    names = [f"{io.name}{number}" for number in range(io.count)]
    if io.uplink is None:
        wires = tuple(
            Wire(a=name, b=io.attach[number % len(io.attach)], rail=0, rate=io.rate)
            for number, name in enumerate(names)
        )
        return with_wires(wiring, switches=(), wires=wires)
    if len(io.attach) > 1:
        raise _attach_mistake("expected one switch beside io.uplink, which connects a switch of the I/O nodes to it")
    io_switch = f"{io.name}-switch"
    wires = tuple(Wire(a=name, b=io_switch, rail=0, rate=io.rate) for name in names)
    return with_wires(
        wiring, switches=(io_switch,), wires=(*wires, Wire(a=io_switch, b=io.attach[0], rail=0, rate=io.uplink))
    )


def _attach_mistake(text: str) -> ValidationMistakes:
    return ValidationMistakes([Complaint(place=("io", "attach"), text=f"io.attach: {text}")])


def _stations(table: LabTable, hosts: tuple[str, ...]) -> tuple[Node, ...]:
    cores = {host.name: host.cores for host in table.host if host.cores is not None}
    names = () if table.io is None else tuple(f"{table.io.name}{number}" for number in range(table.io.count))
    nodes = [
        Node(name=host, kind=NodeKind.host, number=number, cores=cores.get(host, table.hosts.cores))
        for number, host in enumerate(hosts)
    ]
    nodes += [Node(name=name, kind=NodeKind.io, number=len(hosts) + number) for number, name in enumerate(names)]
    return tuple(nodes)


def _name_complaints(names: tuple[str, ...]) -> Iterator[Complaint]:
    for name, times in Counter(names).items():
        if times > 1:
            yield Complaint(
                place=("topology",), text=f"duplicate name '{name}': hosts, I/O nodes and switches share names"
            )
        if name in _RESERVED:
            yield Complaint(place=("topology",), text=f"'{name}' is a reserved name; choose another one")
        if len(name) > _LONGEST_DEVICE:
            yield Complaint(place=("topology",), text=f"'{name}': expected at most {_LONGEST_DEVICE} characters")


@dataclass(frozen=True, kw_only=True)
class _NicRates:
    """NIC rates: those set for individual hosts (`own`, keyed by host and rail), and the default of each rail."""

    own: dict[tuple[str, int], Rate]
    rails: tuple[Rate, ...]

    def of(self, host: str, rail: int) -> Rate:
        return self.own.get((host, rail), self.rails[rail])


def _rates(table: LabTable, hosts: tuple[str, ...]) -> _NicRates:
    own = {
        (host.name, rail): rate
        for host in table.host
        if host.name in hosts and host.rates is not None
        for rail, rate in enumerate(host.rates)
    }
    return _NicRates(own=own, rails=tuple(rail.rate for rail in table.rail))


def _links(wiring: Wiring, rates: _NicRates, table: LabTable) -> tuple[Link, ...]:
    names: Counter[str] = Counter()
    devices: set[tuple[str, str]] = set()
    links = []
    for number, wire in enumerate(wiring.wires):
        base = wire.name or f"{wire.a}-{wire.b}"
        names[base] += 1
        if wire.name and names[base] > 1:
            raise ValidationMistakes(
                [Complaint(place=("link", number, "name"), text=f"link.name: duplicate name '{wire.name}'")]
            )
        ends = [
            End(node=node, device=_device(devices, wiring, wire, node, neighbour), mac=mac_of(number, end))
            for end, (node, neighbour) in enumerate(((wire.a, wire.b), (wire.b, wire.a)))
        ]
        links.append(
            Link(
                name=base if names[base] == 1 else f"{base}.{names[base]}",
                a=ends[0],
                b=ends[1],
                rate=wire.rate or rates.of(wire.a, wire.rail),
                rail=wire.rail,
                delay=wire.delay,
                queue=table.queue,
                cost=wire.cost,
            )
        )
    return tuple(links)


def _device(devices: set[tuple[str, str]], wiring: Wiring, wire: Wire, node: str, neighbour: str) -> str:
    """Name of a new device: eth0, eth1, ... (by rail) on hosts and I/O nodes, the neighbour's name on switches."""
    is_station = node not in wiring.switches
    name = f"eth{wire.rail}" if is_station else neighbour
    number = 1
    while (node, name) in devices:
        if is_station:
            text = f"'{node}' has two links on eth{wire.rail}; a second NIC is {node}:eth{wire.rail + 1}"
            raise ValidationMistakes([Complaint(place=("link",), text=f"link.between: {text}")])
        number += 1
        name = f"{neighbour[: _LONGEST_DEVICE - 3]}.{number}"
    devices.add((node, name))
    return name


def _io_service(table: LabTable, stations: tuple[Node, ...]) -> IoService:
    assert table.io is not None
    nodes = tuple(node.name for node in stations if node.kind is NodeKind.io)
    io = table.io
    return IoService(
        file_system=io.file_system, path=io.path, nodes=nodes, capacity=io.capacity, stripe=io.stripe,
        disk_write=io.disk_write, disk_read=io.disk_read,
    )  # fmt: skip


def _lab_complaints(lab: Lab) -> Iterator[Complaint]:
    if lab.arbitration is Arbitration.fair and len(lab.stations) > MAX_FAIR_STATIONS:
        what = f"{len(lab.stations)} hosts and I/O nodes: expected at most {MAX_FAIR_STATIONS} that switches serve"
        yield Complaint(place=("arbitration",), text=f'arbitration: "fair": {what} in turns; use "fifo"')
    loop = cycle(lab) if lab.forwarding is Forwarding.bridge else ()
    if loop:
        names = ", ".join(link.name for link in loop)
        text = f'cycle without routing: {names}; bridges would forward frames in it for ever: use forwarding = "route"'
        yield Complaint(place=("topology", "forwarding"), text=text)
    yield from _routing_complaints(lab)
    for station in lab.stations:
        if not any(link.rail == 0 for link in lab.links_of(station.name)):
            yield Complaint(place=("topology",), text=f"'{station.name}' has no link on eth0")
            return
    for rail in range(lab.rails):
        unreachable_stations = unreachable(lab, rail=rail)
        if unreachable_stations:
            first = lab.stations[0].name
            text = f"no path from {first} to {', '.join(unreachable_stations)} on eth{rail}: a link is missing"
            yield Complaint(place=("topology",), text=text)


def _routing_complaints(lab: Lab) -> Iterator[Complaint]:
    if lab.routing is Routing.static:
        return
    key = f'routing: "{lab.routing.value}"'
    if lab.forwarding is Forwarding.bridge:
        text = f'{key}: bridges forward along a tree, with one path; expected several paths and forwarding = "route"'
        yield Complaint(place=("routing",), text=text)
    elif not cycle(lab):
        text = f"{key}: there is only one path between any two switches of this {lab.shape}; expected several"
        yield Complaint(place=("routing",), text=text)
    elif lab.routing is Routing.adaptive and lab.shape not in _ADAPTIVE_SHAPES:
        text = f'{key}: not on kind = "{lab.shape}"; expected {" or ".join(_ADAPTIVE_SHAPES)}, or routing = "ecmp"'
        yield Complaint(place=("routing",), text=text)
    elif lab.routing is Routing.adaptive and len(lab.switches) > MAX_ADAPTIVE_SWITCHES:
        text = f'{key}: {len(lab.switches)} switches: expected at most {MAX_ADAPTIVE_SWITCHES}; use "ecmp"'
        yield Complaint(place=("routing",), text=text)
