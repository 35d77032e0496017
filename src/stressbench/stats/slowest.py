"""The host and the rank that are most often the slowest."""

from dataclasses import dataclass

import numpy as np

from stressbench.stats.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowest:
    """The most frequent slowest host and, independently, the most frequent slowest rank, with shares of `samples`."""

    host: str
    host_share: float
    rank: int
    rank_share: float
    samples: int


def slowest_of(selection: Selection) -> Slowest | None:
    """Slowest host and rank over the selected samples of both kinds; None without samples."""
    count = len(selection.slowest_rank)
    if count == 0:
        return None
    hosts, host_counts = np.unique(selection.slowest_host, return_counts=True)
    ranks, rank_counts = np.unique(selection.slowest_rank, return_counts=True)
    return Slowest(
        host=selection.hosts[int(hosts[host_counts.argmax()])], host_share=float(host_counts.max() / count),
        rank=int(ranks[rank_counts.argmax()]), rank_share=float(rank_counts.max() / count), samples=count,
    )  # fmt: skip
