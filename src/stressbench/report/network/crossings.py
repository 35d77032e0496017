"""Links of a tree that several jobs have to cross, from the placement alone. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from stressbench.report.network.blocks import BlockNetwork
from stressbench.report.network.layout import is_acyclic, levels_of_tree


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """A link from the switch `a` up to the switch `b`, and the jobs that have hosts on both sides of it."""

    a: str
    b: str
    jobs: tuple[int, ...]


def crossings(network: BlockNetwork, jobs_by_host: Mapping[str, tuple[int, ...]]) -> tuple[Crossing, ...]:
    """Links that at least two jobs have to cross, those of most jobs first; empty for networks that are no trees."""
    if not is_acyclic(network):
        return ()
    totals: dict[int, int] = {}
    for jobs in jobs_by_host.values():
        for job in jobs:
            totals[job] = totals.get(job, 0) + 1
    hosts_of = {block.key: block.hosts for block in network.blocks}
    found = []
    for parent, child, below in _subtrees(network):
        if parent in hosts_of or child in hosts_of:
            continue
        counts: dict[int, int] = {}
        for host in (host for key in below if key in hosts_of for host in hosts_of[key]):
            for job in jobs_by_host.get(host, ()):
                counts[job] = counts.get(job, 0) + 1
        jobs = tuple(job for job, count in sorted(counts.items()) if count < totals[job])
        if len(jobs) > 1:
            found.append(Crossing(a=child, b=parent, jobs=jobs))
    return tuple(sorted(found, key=lambda one: -len(one.jobs)))


def _subtrees(network: BlockNetwork) -> list[tuple[str, str, set[str]]]:
    """Parent, child, and the nodes on the child's side, for each link of a forest."""
    seen: set[str] = set()
    order: list[tuple[str, str]] = []
    levels = levels_of_tree(network)
    for start in sorted(network.network.switches, key=lambda switch: -levels[switch]):
        stack = [("", start)]
        while stack:
            parent, node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            order.append((parent, node))
            stack += [(node, other) for other in reversed(network.neighbours[node]) if other not in seen]
    below: dict[str, set[str]] = {node: {node} for _, node in order}
    for parent, node in reversed(order):
        if parent:
            below[parent] |= below[node]
    return [(parent, node, below[node]) for parent, node in order if parent]
