"""Dragonfly topology: groups of fully connected routers, and single links between all groups."""

from stressbench.formats.lab.topologies import Dragonfly
from stressbench.labs.wiring import RailNetwork, Trunk, Wiring, WiringInput, fill_switches, on_every_rail

SPEC = Dragonfly
_GLOBAL_COST = 3  # more than two local links, so that no route crosses a third group


def wire(spec: Dragonfly, inputs: WiringInput) -> Wiring:
    """Wire the dragonfly. Hosts fill router after router, group after group."""
    sizes = f"{spec.groups} groups x {spec.routers_per_group} routers x {spec.hosts_per_router} hosts"
    names = [f"g{group}r{router}" for group in range(spec.groups) for router in range(spec.routers_per_group)]
    rail_network = RailNetwork(
        switches=tuple(names),
        attached=fill_switches(inputs, names, spec.hosts_per_router, sizes=sizes, key="groups"),
        trunks=(*_within_groups(spec), *_between_groups(spec)),
    )
    return on_every_rail(inputs, lambda _: rail_network, forwarding=spec.forwarding)


def _within_groups(spec: Dragonfly) -> tuple[Trunk, ...]:
    pairs = [(a, b) for a in range(spec.routers_per_group) for b in range(a + 1, spec.routers_per_group)]
    return tuple(
        Trunk(f"g{group}r{a}", f"g{group}r{b}", spec.local_rate) for group in range(spec.groups) for a, b in pairs
    )


def _between_groups(spec: Dragonfly) -> tuple[Trunk, ...]:
    """Links between groups: router n of a group has the n-th, (n + routers)-th, ... link to the following groups."""

    def router(group: int, other: int) -> str:
        return f"g{group}r{(other - group - 1) % spec.groups % spec.routers_per_group}"

    pairs = [(a, b) for a in range(spec.groups) for b in range(a + 1, spec.groups)]
    return tuple(Trunk(router(a, b), router(b, a), spec.global_rate, _GLOBAL_COST) for a, b in pairs)
