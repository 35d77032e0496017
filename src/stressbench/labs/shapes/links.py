"""Arbitrary topology, given link by link."""

from dataclasses import replace

from stressbench.formats.lab.topologies import Links
from stressbench.formats.units import parse_digits
from stressbench.labs.wiring import (
    MAX_LINKS,
    MAX_RAILS,
    MAX_SWITCHES,
    LinkSpec,
    Wire,
    Wiring,
    WiringInput,
    WiringMistake,
)

SPEC = Links


def wire(spec: Links, inputs: WiringInput) -> Wiring:
    """Wire the links of the `[[link]]` tables."""
    if not inputs.links:
        raise WiringMistake("", 'kind = "links" needs a [[link]] for every link, but there is none')
    if len(inputs.links) > MAX_LINKS:
        raise WiringMistake("", f"{len(inputs.links)} links: expected at most {MAX_LINKS}")
    if len(spec.switches) > MAX_SWITCHES:
        raise WiringMistake("switches", f"{len(spec.switches)} switches: expected at most {MAX_SWITCHES}")
    wires = tuple(_wire(link, spec, inputs) for link in inputs.links)
    rails = _rails(spec, wires)
    wires = tuple(replace(wire, rail=rails.get(wire.b, rails.get(wire.a, 0))) for wire in wires)
    return Wiring(switches=spec.switches, wires=wires, forwarding=spec.forwarding)


def _rails(spec: Links, wires: tuple[Wire, ...]) -> dict[str, int]:
    """The rail of each switch, which is that of all NICs in its connected component.

    Raises WiringMistake if a component connects NICs of different rails.
    """
    part = {switch: switch for switch in spec.switches}
    for wire in wires:
        if wire.a in part and wire.b in part:
            old, new = part[wire.b], part[wire.a]
            part = {switch: new if root == old else root for switch, root in part.items()}
    rails: dict[str, int] = {}
    for number, wire in enumerate(wires):
        for switch, host in ((wire.a, wire.b), (wire.b, wire.a)):
            if switch in part and host not in part:
                known = rails.setdefault(part[switch], wire.rail)
                if known != wire.rail:
                    nics = f"eth{known} of some hosts and eth{wire.rail} of '{host}'"
                    key = f"link.{number}.between"
                    raise WiringMistake(key, f"'{switch}' connects {nics}; give each rail its own switches")
    return {switch: rails.get(root, 0) for switch, root in part.items()}


def _wire(link: LinkSpec, spec: Links, inputs: WiringInput) -> Wire:
    ends = [_end(text, link, spec, inputs) for text in link.between]
    (a, nic_a), (b, nic_b) = ends
    if a == b:
        raise WiringMistake(f"link.{link.number}.between", f"'{a}' is connected to itself")
    if nic_a is not None and nic_b is not None:
        raise WiringMistake(f"link.{link.number}.between", f"'{a}' and '{b}' are hosts; a switch must stand between")
    rail = nic_a if nic_a is not None else nic_b
    return Wire(a=a, b=b, rail=rail or 0, rate=link.rate, delay=link.delay, name=link.name)


def _end(text: str, link: LinkSpec, spec: Links, inputs: WiringInput) -> tuple[str, int | None]:
    """Node and NIC number of a link's end; the number is None for a switch."""
    name, colon, nic = text.partition(":")
    key = f"link.{link.number}.between"
    if name in spec.switches:
        if colon:
            raise WiringMistake(key, f"'{text}': a switch has no NICs to choose from; expected '{name}'")
        return name, None
    if name not in inputs.hosts:
        raise WiringMistake(key, f"'{name}' is neither a host nor a switch of this lab")
    number = parse_digits(nic.removeprefix("eth")) if nic.startswith("eth") else None
    if colon and number is None:
        raise WiringMistake(key, f"'{text}': expected a NIC such as {name}:eth0")
    if number is not None and number >= MAX_RAILS:
        raise WiringMistake(key, f"'{text}': expected at most {MAX_RAILS} NICs, eth0 to eth{MAX_RAILS - 1}")
    return name, number or 0
