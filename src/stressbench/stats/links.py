"""Utilisation of network links during isolated and contended rounds."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stressbench.formats.run import Kind, LinkTraffic, Round, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLinkUtilisation:
    """Utilisation (share of the link's rate) during a job's isolated rounds: the median over these rounds."""

    job: int
    use: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkUtilisation:
    """Utilisation of one direction of a link, as shares of its rate (medians over rounds).

    `contended` is None without contended rounds. `bytes` and `drops` are sums over all rounds.
    """

    link: str
    source: str
    target: str
    rate_bits_per_s: int
    contended: float | None
    isolated: tuple[JobLinkUtilisation, ...]
    bytes: int
    drops: int

    @property
    def peak(self) -> float:
        """The highest utilisation, isolated or contended."""
        return max([self.contended or 0.0, *(job.use for job in self.isolated)])


def link_utilisation(run: Run) -> tuple[LinkUtilisation, ...] | None:
    """Utilisation of every link direction with a known rate, the highest contended one first; None without counters."""
    by_direction: dict[tuple[str, str, str], list[tuple[Round, LinkTraffic]]] = {}
    rounds = [one for one in run.rounds if one.links is not None]
    for one in rounds:
        for link in one.links or ():
            by_direction.setdefault((link.link, link.source, link.target), []).append((one, link))
    if not rounds:
        return None
    utilisations = [
        _utilisation_of(rows) for rows in by_direction.values() if all(link.rate_bits_per_s for _, link in rows)
    ]
    return tuple(sorted(utilisations, key=lambda one: (-(one.contended or 0.0), -one.peak, one.link, one.source)))


def _utilisation_of(rows: list[tuple[Round, LinkTraffic]]) -> LinkUtilisation:
    link = rows[-1][1]
    jobs = sorted({one.job for one, _ in rows if one.job is not None})
    isolated = ((job, _median((one, link) for one, link in rows if one.job == job)) for job in jobs)
    return LinkUtilisation(
        link=link.link, source=link.source, target=link.target, rate_bits_per_s=link.rate_bits_per_s or 0,
        contended=_median((one, link) for one, link in rows if one.kind is Kind.contended),
        isolated=tuple(JobLinkUtilisation(job=job, use=use) for job, use in isolated if use is not None),
        bytes=sum(link.bytes for _, link in rows), drops=sum(link.drops for _, link in rows),
    )  # fmt: skip


def _median(rows: Iterable[tuple[Round, LinkTraffic]]) -> float | None:
    """Median over rounds of the carried bytes divided by the capacity (rate times duration); None without rounds."""
    shares = [
        link.bytes * 8 / (link.rate_bits_per_s * one.duration_s)
        for one, link in rows
        if link.rate_bits_per_s and one.duration_s > 0
    ]
    return float(np.median(shares)) if shares else None
