"""Two-level fat tree: leaves with hosts, roots above them, uplinks tapered k:1."""

import re

from stressbench.formats.bounds import LARGEST_INT64
from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.lab.topologies import FatTree
from stressbench.formats.units import MIN_RATE
from stressbench.labs.topology import PathChoice
from stressbench.labs.wiring import (
    Rail,
    RailNetwork,
    Trunk,
    Wiring,
    WiringInput,
    WiringMistake,
    leaf_count,
    on_every_rail,
)

SPEC = FatTree
_TAPER = re.compile(r"([0-9]+(?:\.[0-9]+)?):1")


def wire(spec: FatTree, inputs: WiringInput) -> Wiring:
    """Wire the fat tree. Hosts fill leaf after leaf. The default forwarding is bridging with one root, else routing."""
    leaves = leaf_count(inputs, spec.hosts_per_leaf, key="hosts_per_leaf")
    taper = _taper(spec.taper)

    def rail_network(rail: Rail) -> RailNetwork:
        share = spec.hosts_per_leaf / taper / spec.roots
        if not MIN_RATE.bits_per_s <= rail.rate.bits_per_s * share <= LARGEST_INT64:
            raise WiringMistake("taper", f"'{spec.taper}': expected uplinks of {MIN_RATE} to 2^63 bit/s")
        uplink = rail.rate.scaled(share)
        return RailNetwork(
            switches=(*(f"leaf{leaf}" for leaf in range(leaves)), *(f"root{root}" for root in range(spec.roots))),
            attached=tuple(f"leaf{host // spec.hosts_per_leaf}" for host in range(len(inputs.hosts))),
            trunks=tuple(
                Trunk(f"leaf{leaf}", f"root{root}", uplink) for leaf in range(leaves) for root in range(spec.roots)
            ),
        )

    default = Forwarding.bridge if spec.roots == 1 else Forwarding.route
    return on_every_rail(
        inputs, rail_network, forwarding=spec.forwarding or default, path_choice=PathChoice.by_destination
    )


def _taper(text: str) -> float:
    match = _TAPER.fullmatch(text)
    assert match is not None
    taper = float(match[1])
    if taper == 0:
        raise WiringMistake("taper", f"'{text}': expected k:1 with k above 0, such as 2:1")
    return taper
