"""The share of each link that a program uses, from the link counters in the run file of its probes."""

from collections.abc import Mapping, Sequence
from math import fsum

from stressbench.formats.run import LinkTraffic, Round, Run

LinkShares = Mapping[str, float]
"""Used share of the capacity, 0 to 1, by link and direction, such as `h0-s0: h0 > s0`."""


def link_shares(run: Run, *, began_s: float, ended_s: float) -> LinkShares | None:
    """Shares over all rounds between two times of the run, s. None without link counters, or without such a round."""
    rounds = [
        one
        for one in run.rounds
        if one.links is not None and one.started_s >= began_s and one.started_s + one.duration_s <= ended_s
    ]
    bits_and_capacities: dict[str, list[tuple[float, float]]] = {}
    for one in rounds:
        for link in one.links or ():
            if link.rate_bits_per_s:
                bits_and_capacities.setdefault(_name(link), []).append(
                    (link.bytes * 8, _capacity_bits(one, link.rate_bits_per_s))
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


def _capacity_bits(one: Round, rate_bits_per_s: int) -> float:
    return rate_bits_per_s * one.duration_s
