"""Ring of switches."""

from stressbench.formats.lab.topologies import Ring
from stressbench.labs.wiring import RailNetwork, Trunk, Wiring, WiringInput, WiringMistake, leaf_count, on_every_rail

SPEC = Ring


def wire(spec: Ring, inputs: WiringInput) -> Wiring:
    """Wire the ring. Hosts fill switch after switch."""
    count = leaf_count(inputs, spec.hosts_per_switch, key="hosts_per_switch")
    if count < 3:
        raise WiringMistake("hosts_per_switch", f"{spec.hosts_per_switch} leaves {count} switches; a ring needs 3")
    rail_network = RailNetwork(
        switches=tuple(f"s{number}" for number in range(count)),
        attached=tuple(f"s{host // spec.hosts_per_switch}" for host in range(len(inputs.hosts))),
        trunks=tuple(Trunk(f"s{number}", f"s{(number + 1) % count}", spec.rate) for number in range(count)),
    )
    return on_every_rail(inputs, lambda _: rail_network, forwarding=spec.forwarding)
