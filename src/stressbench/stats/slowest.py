"""Who was last most often."""

from dataclasses import dataclass

import numpy as np

from stressbench.stats.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowest:
    """The host, and apart from it the rank, that had `time_max_s` most often; shares from 0 to 1 of `samples`."""

    host: str
    host_share: float
    rank: int
    rank_share: float
    samples: int


def slowest_of(selection: Selection) -> Slowest | None:
    """Of the counted samples of both kinds; None when there are none."""
    count = len(selection.slowest_rank)
    if count == 0:
        return None
    hosts, host_counts = np.unique(selection.slowest_host, return_counts=True)
    ranks, rank_counts = np.unique(selection.slowest_rank, return_counts=True)
    return Slowest(
        host=selection.hosts[int(hosts[host_counts.argmax()])], host_share=float(host_counts.max() / count),
        rank=int(ranks[rank_counts.argmax()]), rank_share=float(rank_counts.max() / count), samples=count,
    )  # fmt: skip
