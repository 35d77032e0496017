"""Labs derived from a lab: with slower links or fewer rails. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.units import MIN_RATE
from stressbench.labs.topology import Lab, Link


def with_rate_share(lab: Lab, share: float) -> Lab:
    """The lab with all rates multiplied by `share`. Raises LabMistake if a link cannot have such a rate."""
    try:
        require_possible_share(lab.links, share)
    except LabMistake as mistake:
        raise LabMistake(f"lab {lab.name}'s {mistake}") from None
    return replace(lab, links=tuple(replace(link, rate=link.rate.scaled(share)) for link in lab.links))


def require_possible_share(links: Sequence[Link], share: float) -> None:
    """Raise LabMistake if this share of a link's rate is less than the minimum or too large for the kernel."""
    slowest, fastest = min(links, key=lambda link: link.rate), max(links, key=lambda link: link.rate)
    if fastest.rate.bits_per_s * share >= 2**63:
        raise LabMistake(
            f"link {fastest.name} would have {share:g} times {fastest.rate}; expected less than 2^63 bit/s"
        )
    if (rate := slowest.rate.scaled(share)) < MIN_RATE:
        raise LabMistake(f"link {slowest.name} would have {rate}; expected at least {MIN_RATE}")


def with_rails(lab: Lab, count: int) -> Lab:
    """The lab with its first `count` rails only and their switches. Raises LabMistake if it has fewer rails."""
    if not 1 <= count <= lab.rails:
        accepted = "1" if lab.rails == 1 else f"1 to {lab.rails}"
        raise LabMistake(f"lab {lab.name} has {lab.rails} rail{'s' * (lab.rails > 1)}; expected {accepted}")
    links = tuple(link for link in lab.links if link.rail < count)
    reached = {end.node for link in links for end in link.ends}
    nodes = tuple(node for node in lab.nodes if node.name in reached)
    return replace(lab, links=links, nodes=nodes, rails=count)
