"""The share of each link that a program uses, from the link counters in the run file of its probes."""

from collections.abc import Mapping, Sequence
from math import fsum

from stressbench.formats.run import LinkTraffic, Run

LinkShares = Mapping[str, float]
"""Used share of the capacity, 0 to 1, by link and direction, such as `h0-s0: h0 > s0`."""


def link_shares(run: Run, *, began_s: float, ended_s: float) -> LinkShares | None:
    """Shares of the time of all rounds that lies between two times of the run, s, at which a program began and ended.

    The traffic of a round of which only a part lies between them counts as that of this part, since probes that run
    without the program hardly use the links. None without link counters, or without such a round.
    """
    bits_and_capacities: dict[str, list[tuple[float, float]]] = {}
    for one in run.rounds:
        within_s = min(ended_s, one.ended_s) - max(began_s, one.started_s)
        if within_s <= 0:
            continue
        for link in one.links or ():
            if link.rate_bits_per_s:
                bits_and_capacities.setdefault(_name(link), []).append(
                    (link.bytes * 8, link.rate_bits_per_s * within_s)
                )
    if not bits_and_capacities:
        return None
    return {
        name: min(1.0, fsum(bits for bits, _ in rows) / fsum(capacity for _, capacity in rows))
        for name, rows in sorted(bits_and_capacities.items())
    }


def mean_link_shares(runs: Sequence[LinkShares | None]) -> LinkShares | None:
    """The mean over several runs of a program; None if link counters are missing for any of them."""
    counted = [one for one in runs if one is not None]
    if len(counted) < len(runs) or not counted:
        return None
    return {name: fsum(one.get(name, 0.0) for one in counted) / len(counted) for name in counted[0]}


def _name(link: LinkTraffic) -> str:
    return f"{link.link}: {link.source} > {link.target}"
