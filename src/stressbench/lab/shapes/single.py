"""One switch for all hosts."""

from typing import Literal

from stressbench.lab.fields import Table
from stressbench.lab.topology import Forwarding
from stressbench.lab.wiring import RailNetwork, Wiring, WiringInput, on_every_rail

KIND = "single"


class Spec(Table):
    """A single switch, `s0`."""

    kind: Literal["single"]
    forwarding: Forwarding = Forwarding.bridge


def wire(spec: Spec, given: WiringInput) -> Wiring:
    """Every host on the switch."""
    plane = RailNetwork(switches=("s0",), attached=("s0",) * len(given.hosts))
    return on_every_rail(given, lambda _: plane, forwarding=spec.forwarding)
