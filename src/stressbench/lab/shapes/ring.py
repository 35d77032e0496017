"""Switches in a ring."""

from typing import Annotated, Literal

from pydantic import Field

from stressbench.lab.fields import Count, RateText, Table
from stressbench.lab.topology import Forwarding
from stressbench.lab.wiring import RailNetwork, Trunk, Wiring, WiringInput, WiringMistake, leaf_count, on_every_rail

KIND = "ring"


class Spec(Table):
    """Switches `s0`, `s1`, ..., each joined to the next and the last to the first; the shorter way round is taken."""

    kind: Literal["ring"]
    hosts_per_switch: Count = 1
    rate: Annotated[RateText, Field(description="Of the links between switches.")]
    forwarding: Forwarding = Forwarding.route


def wire(spec: Spec, given: WiringInput) -> Wiring:
    """Switches in the order of hosts."""
    count = leaf_count(given, spec.hosts_per_switch, key="hosts_per_switch")
    if count < 3:
        raise WiringMistake("hosts_per_switch", f"{spec.hosts_per_switch} leaves {count} switches; a ring needs 3")
    plane = RailNetwork(
        switches=tuple(f"s{number}" for number in range(count)),
        attached=tuple(f"s{host // spec.hosts_per_switch}" for host in range(len(given.hosts))),
        trunks=tuple(Trunk(f"s{number}", f"s{(number + 1) % count}", spec.rate) for number in range(count)),
    )
    return on_every_rail(given, lambda _: plane, forwarding=spec.forwarding)
