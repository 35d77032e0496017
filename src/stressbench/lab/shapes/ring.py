"""Switches in a ring."""

from stressbench.formats.lab.topologies import Ring
from stressbench.lab.wiring import Plane, Site, Trunk, Wiring, WiringMistake, leaves_of, on_every_rail

SPEC = Ring


def wire(spec: Ring, site: Site) -> Wiring:
    """Switches in the order of hosts."""
    count = leaves_of(site, spec.hosts_per_switch, key="hosts_per_switch")
    if count < 3:
        raise WiringMistake("hosts_per_switch", f"{spec.hosts_per_switch} leaves {count} switches; a ring needs 3")
    plane = Plane(
        switches=tuple(f"s{number}" for number in range(count)),
        attached=tuple(f"s{host // spec.hosts_per_switch}" for host in range(len(site.hosts))),
        trunks=tuple(Trunk(f"s{number}", f"s{(number + 1) % count}", spec.rate) for number in range(count)),
    )
    return on_every_rail(site, lambda _: plane, forwarding=spec.forwarding)
