"""One switch for all hosts."""

from stressbench.formats.lab.topologies import Single
from stressbench.labs.wiring import RailNetwork, Wiring, WiringInput, on_every_rail

SPEC = Single


def wire(spec: Single, inputs: WiringInput) -> Wiring:
    """Connect every host to the switch."""
    rail_network = RailNetwork(switches=("s0",), attached=("s0",) * len(inputs.hosts))
    return on_every_rail(inputs, lambda _: rail_network, forwarding=spec.forwarding)
