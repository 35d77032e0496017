"""Shortest-path routing: the links that each switch may use to each destination, and the static choice. Pure."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from stressbench.labs.topology import Lab, Link, Node, PathChoice


@dataclass(frozen=True, kw_only=True)
class Hop:
    """A routing table entry: `node` forwards frames for `destination` over `link`.

    `shortest` are the first links of all shortest paths, `link` among them.
    """

    node: str
    destination: Node
    link: Link
    shortest: tuple[Link, ...]


def hops(lab: Lab, *, rail: int) -> tuple[Hop, ...]:
    """Routing tables of all switches on a rail, with paths of least cost. Stations do not forward frames.

    With `PathChoice.first`, the first link (in the order of the file) on a shortest path is used. A torus lists its row
    links before its column links, so this is dimension-order routing. With `by_destination`, the choice follows from
    the destination's number, as in fat trees (d-mod-k).
    """
    adjacency = _adjacency(lab, rail=rail)
    entries = []
    for destination in lab.nodes:
        distances = _distances(lab, adjacency, destination.name)
        for switch in lab.switches:
            if switch.name in distances and switch.name != destination.name:
                shortest = _shortest_path_links(adjacency, distances, switch.name)
                link = _choose(lab.path_choice, destination, shortest)
                entries.append(Hop(node=switch.name, destination=destination, link=link, shortest=shortest))
    return tuple(entries)


def path(lab: Lab, source: str, target: str, *, rail: int = 0) -> tuple[Link, ...]:
    """The links that a frame crosses from one node to another; empty if both are the same.

    Raises KeyError if there is no path.
    """
    table = {(hop.node, hop.destination.name): hop.link for hop in hops(lab, rail=rail)}
    node, links = source, []
    while node != target:
        if lab.node(node).is_switch:
            link = table[node, target]
        else:
            link = next(link for link in lab.links_of(node) if link.rail == rail)
        links.append(link)
        node = link.opposite_end(node).node
    return tuple(links)


def unreachable(lab: Lab, *, rail: int) -> tuple[str, ...]:
    """Stations of this rail that the first station cannot reach."""
    stations = [node for node in lab.stations if any(link.rail == rail for link in lab.links_of(node.name))]
    if not stations:
        return ()
    reached = _distances(lab, _adjacency(lab, rail=rail), stations[0].name)
    return tuple(node.name for node in stations if node.name not in reached)


def cycle(lab: Lab) -> tuple[Link, ...]:
    """The links of a cycle of switches; empty if there is none."""
    for rail in range(lab.rails):
        trunks = [link for link in lab.links if link.rail == rail and _is_trunk(lab, link)]
        parents = {switch.name: switch.name for switch in lab.switches}
        for number, link in enumerate(trunks):  # the first link between switches that are already connected
            a, b = (_root(parents, end.node) for end in link.ends)
            if a == b:
                return (*_path_between(trunks[:number], link.a.node, link.b.node), link)
            parents[b] = a
    return ()


def _root(parents: dict[str, str], node: str) -> str:
    """The root of the node's tree (union-find), with the path to it halved."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


def _is_trunk(lab: Lab, link: Link) -> bool:
    return all(lab.node(end.node).is_switch for end in link.ends)


def _path_between(links: Sequence[Link], start: str, goal: str) -> tuple[Link, ...]:
    """The links between two switches that are connected."""
    paths: dict[str, tuple[Link, ...]] = {start: ()}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for link in links:
            if node in (link.a.node, link.b.node) and (neighbour := link.opposite_end(node).node) not in paths:
                paths[neighbour] = (*paths[node], link)
                queue.append(neighbour)
    return paths[goal]


def _adjacency(lab: Lab, *, rail: int) -> Mapping[str, tuple[Link, ...]]:
    links_by_node: dict[str, list[Link]] = {node.name: [] for node in lab.nodes}
    for link in lab.links:
        if link.rail == rail:
            for end in link.ends:
                links_by_node[end.node].append(link)
    return {name: tuple(links) for name, links in links_by_node.items()}


def _distances(lab: Lab, adjacency: Mapping[str, tuple[Link, ...]], goal: str) -> Mapping[str, int]:
    """Cost of the shortest path from each node to the goal, over switches only (Dijkstra)."""
    forwarding_nodes = {switch.name for switch in lab.switches} | {goal}
    distances: dict[str, int] = {}
    queue = [(0, goal)]
    while queue:
        cost, current = heappop(queue)
        if current in distances:
            continue
        distances[current] = cost
        if current in forwarding_nodes:
            for link in adjacency[current]:
                if (neighbour := link.opposite_end(current).node) not in distances:
                    heappush(queue, (cost + link.cost, neighbour))
    return distances


def _shortest_path_links(
    adjacency: Mapping[str, tuple[Link, ...]], distances: Mapping[str, int], node: str
) -> tuple[Link, ...]:
    """First links of all shortest paths from `node`."""
    return tuple(
        link
        for link in adjacency[node]
        if distances.get(link.opposite_end(node).node, -1) == distances[node] - link.cost
    )


def _choose(path_choice: PathChoice, destination: Node, links: tuple[Link, ...]) -> Link:
    return links[destination.number % len(links) if path_choice is PathChoice.by_destination else 0]
