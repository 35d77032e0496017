"""Models of the `[topology]` table of a lab file, one for each `kind`."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

from pydantic import Field

from stressbench.formats.lab.fields import Count, Name, RateText
from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.toml import Table


class Topology(Table):
    """Base class of the `[topology]` tables; `kind` selects the model."""

    kind: str


class Dragonfly(Topology):
    """Routers `g0r0`, `g0r1`, ..., `g1r0`, ...; one link between each pair of groups, spread over their routers.

    Routes are minimal: at most one link in the first group, one between groups, one in the last.
    """

    kind: Literal["dragonfly"]
    groups: Count
    routers_per_group: Count
    hosts_per_router: Count
    local_rate: Annotated[RateText, Field(description="Rate of links within a group.")]
    global_rate: Annotated[RateText, Field(description="Rate of links between groups.")]
    forwarding: Forwarding = Forwarding.route


class FatTree(Topology):
    """Leaves `leaf0`, ... and roots `root0`, ...; the uplinks of a leaf have the total rate of its hosts divided by k.

    With several roots, each leaf has an uplink to each of them. The topology then has cycles, so that switches route;
    the number of the destination determines the root.
    """

    kind: Literal["fat-tree"]
    hosts_per_leaf: Count
    taper: Annotated[str, Field(strict=True, pattern=r"^[0-9]+(\.[0-9]+)?:1$")] = "1:1"
    roots: Count = 1
    forwarding: Forwarding | None = None


class Links(Topology):
    """Named switches; each link has its own `[[link]]` table."""

    kind: Literal["links"]
    switches: Annotated[tuple[Name, ...], Field(min_length=1)]
    forwarding: Forwarding = Forwarding.bridge


class Ring(Topology):
    """Switches `s0`, `s1`, ..., each connected to the next and the last to the first; routes take the shorter way."""

    kind: Literal["ring"]
    hosts_per_switch: Count = 1
    rate: Annotated[RateText, Field(description="Rate of the links between switches.")]
    forwarding: Forwarding = Forwarding.route


class Single(Topology):
    """A single switch, `s0`."""

    kind: Literal["single"]
    forwarding: Forwarding = Forwarding.bridge


class Torus(Topology):
    """Switches `x0y0`, `x1y0`, ...; routes go along the row first, then along the column (dimension order)."""

    kind: Literal["torus"]
    columns: Count
    rows: Count
    hosts_per_switch: Count = 1
    rate: Annotated[RateText, Field(description="Rate of the links between switches.")]
    forwarding: Forwarding = Forwarding.route


def _kind_of(topology: type[Topology]) -> str:
    kind: str = get_args(topology.model_fields["kind"].annotation)[0]
    return kind


TOPOLOGIES: Mapping[str, type[Topology]] = {
    _kind_of(one): one for one in (Dragonfly, FatTree, Links, Ring, Single, Torus)
}
"""Models by `kind`, in alphabetical order."""
