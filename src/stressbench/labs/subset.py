"""Labs derived from a lab: with slower links or fewer rails. Pure."""

from dataclasses import replace

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.units import MIN_RATE
from stressbench.labs.topology import Lab


def with_rate_share(lab: Lab, share: float) -> Lab:
    """The lab with all rates multiplied by `share`. Raises LabMistake if a rate would fall below the minimum."""
    links = tuple(replace(link, rate=link.rate.scaled(share)) for link in lab.links)
    slowest = min(links, key=lambda link: link.rate)
    if slowest.rate < MIN_RATE:
        raise LabMistake(
            f"lab {lab.name}'s link {slowest.name} would have {slowest.rate}; expected at least {MIN_RATE}"
        )
    return replace(lab, links=links)


def with_rails(lab: Lab, count: int) -> Lab:
    """The lab with its first `count` rails only and their switches. Raises LabMistake if it has fewer rails."""
    if not 1 <= count <= lab.rails:
        accepted = "1" if lab.rails == 1 else f"1 to {lab.rails}"
        raise LabMistake(f"lab {lab.name} has {lab.rails} rail{'s' * (lab.rails > 1)}; expected {accepted}")
    links = tuple(link for link in lab.links if link.rail < count)
    reached = {end.node for link in links for end in link.ends}
    nodes = tuple(node for node in lab.nodes if node.name in reached)
    return replace(lab, links=links, nodes=nodes, rails=count)
