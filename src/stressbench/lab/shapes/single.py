"""One switch for all hosts."""

from stressbench.formats.lab.topologies import Single
from stressbench.lab.wiring import Plane, Site, Wiring, on_every_rail

SPEC = Single


def wire(spec: Single, site: Site) -> Wiring:
    """Every host on the switch."""
    plane = Plane(switches=("s0",), attached=("s0",) * len(site.hosts))
    return on_every_rail(site, lambda _: plane, forwarding=spec.forwarding)
