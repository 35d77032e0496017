"""Switches in a ring."""

from typing import Annotated, Literal

from pydantic import Field

from stressbench.lab.fields import Count, RateText, Table
from stressbench.lab.topology import Forwarding
from stressbench.lab.wiring import Plane, Site, Trunk, Wiring, WiringMistake, leaves_of, on_every_rail

KIND = "ring"


class Spec(Table):
    """Switches `s0`, `s1`, ..., each joined to the next and the last to the first; the shorter way round is taken."""

    kind: Literal["ring"]
    hosts_per_switch: Count = 1
    rate: Annotated[RateText, Field(description="Of the links between switches.")]
    forwarding: Forwarding = Forwarding.route


def wire(spec: Spec, site: Site) -> Wiring:
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
