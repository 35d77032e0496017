"""A two-level fat tree: leaves with hosts, roots above them, uplinks tapered k:1."""

import re
from typing import Annotated, Literal

from pydantic import Field

from stressbench.lab.fields import Count, Table
from stressbench.lab.topology import Forwarding, Spread
from stressbench.lab.wiring import (
    Rail,
    RailNetwork,
    Trunk,
    Wiring,
    WiringInput,
    WiringMistake,
    leaf_count,
    on_every_rail,
)

KIND = "fat-tree"
_TAPER = re.compile(r"(\d+(?:\.\d+)?):1")


class Spec(Table):
    """Leaves `leaf0`, ... and roots `root0`, ...; a leaf's uplinks together carry its hosts' rates divided by k.

    With several roots each leaf has an uplink to each, so that there are cycles: switches then route, and the root
    follows from the destination's number.
    """

    kind: Literal["fat-tree"]
    hosts_per_leaf: Count
    taper: Annotated[str, Field(strict=True, pattern=r"^[0-9]+(\.[0-9]+)?:1$")] = "1:1"
    roots: Count = 1
    forwarding: Forwarding | None = None


def wire(spec: Spec, given: WiringInput) -> Wiring:
    """Leaves in the order of hosts."""
    leaves = leaf_count(given, spec.hosts_per_leaf, key="hosts_per_leaf")
    taper = _taper(spec.taper)

    def plane(rail: Rail) -> RailNetwork:
        uplink = rail.rate.scaled(spec.hosts_per_leaf / taper / spec.roots)
        return RailNetwork(
            switches=(*(f"leaf{leaf}" for leaf in range(leaves)), *(f"root{root}" for root in range(spec.roots))),
            attached=tuple(f"leaf{host // spec.hosts_per_leaf}" for host in range(len(given.hosts))),
            trunks=tuple(
                Trunk(f"leaf{leaf}", f"root{root}", uplink) for leaf in range(leaves) for root in range(spec.roots)
            ),
        )

    default = Forwarding.bridge if spec.roots == 1 else Forwarding.route
    return on_every_rail(given, plane, forwarding=spec.forwarding or default, spread=Spread.by_destination)


def _taper(text: str) -> float:
    match = _TAPER.fullmatch(text)
    assert match is not None
    taper = float(match[1])
    if taper == 0:
        raise WiringMistake("taper", f"'{text}': expected k:1 with k above 0, such as 2:1")
    return taper
