"""One switch for all hosts."""

from stressbench.formats.lab.topologies import Single
from stressbench.labs.wiring import RailNetwork, Wiring, WiringInput, on_every_rail

SPEC = Single


def wire(spec: Single, given: WiringInput) -> Wiring:
    """Connect every host to the switch."""
    plane = RailNetwork(switches=("s0",), attached=("s0",) * len(given.hosts))
    return on_every_rail(given, lambda _: plane, forwarding=spec.forwarding)
