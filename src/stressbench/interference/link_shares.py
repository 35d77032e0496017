"""Which share of each link a program uses, by the links' counters in the run file of the probes beside it. Pure."""

from collections.abc import Mapping, Sequence
from math import fsum

from stressbench.formats.run import LinkTraffic, Round, Run

LinkShares = Mapping[str, float]
"""By link and direction, `h0-s0: h0 > s0`; of what the link could have carried, 0 to 1."""


def link_shares(run: Run, *, began_s: float, ended_s: float) -> LinkShares | None:
    """Over all rounds between two times of the run, s. None where nobody counted, or no round lies between."""
    rounds = [
        one
        for one in run.rounds
        if one.links is not None and one.started_s >= began_s and one.started_s + one.duration_s <= ended_s
    ]
    carried: dict[str, list[tuple[float, float]]] = {}
    for one in rounds:
        for link in one.links or ():
            if link.rate_bits_per_s:
                carried.setdefault(_name(link), []).append((link.bytes * 8, _room(one, link.rate_bits_per_s)))
    if not carried:
        return None
    return {
        name: min(1.0, fsum(bits for bits, _ in rows) / fsum(room for _, room in rows))
        for name, rows in sorted(carried.items())
    }


def mean_link_shares(runs: Sequence[LinkShares | None]) -> LinkShares | None:
    """Of several runs of a program; None where one of them, or nobody, was counted."""
    known = [one for one in runs if one is not None]
    if len(known) < len(runs) or not known:
        return None
    return {name: fsum(one.get(name, 0.0) for one in known) / len(known) for name in known[0]}


def _name(link: LinkTraffic) -> str:
    return f"{link.link}: {link.source} > {link.target}"


def _room(one: Round, rate_bits_per_s: int) -> float:
    return rate_bits_per_s * one.duration_s
