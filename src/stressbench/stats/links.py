"""How busy the links were: where the congestion was."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from stressbench.formats.run import Kind, LinkTraffic, Round, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLinkUtilisation:
    """The share of its rate that a direction of a link was used while one job ran alone; the median over its rounds."""

    job: int
    use: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkUtilisation:
    """One direction of a link: shares of its rate, medians over rounds; `bytes` and `drops` over all rounds.

    `contended` is None without such rounds.
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
        """The greatest of its shares."""
        return max([self.contended or 0.0, *(alone.use for alone in self.isolated)])


def link_utilisation(run: Run) -> tuple[LinkUtilisation, ...] | None:
    """Every direction with a known rate, the busiest in contended rounds first; None where nobody counted."""
    seen: dict[tuple[str, str, str], list[tuple[Round, LinkTraffic]]] = {}
    counted = [one for one in run.rounds if one.links is not None]
    for one in counted:
        for link in one.links or ():
            seen.setdefault((link.link, link.source, link.target), []).append((one, link))
    if not counted:
        return None
    found = [_use_of(rows) for rows in seen.values() if all(link.rate_bits_per_s for _, link in rows)]
    return tuple(sorted(found, key=lambda one: (-(one.contended or 0.0), -one.peak, one.link, one.source)))


def _use_of(rows: list[tuple[Round, LinkTraffic]]) -> LinkUtilisation:
    link = rows[-1][1]
    jobs = sorted({one.job for one, _ in rows if one.job is not None})
    alone = ((job, _median((one, link) for one, link in rows if one.job == job)) for job in jobs)
    return LinkUtilisation(
        link=link.link, source=link.source, target=link.target, rate_bits_per_s=link.rate_bits_per_s or 0,
        contended=_median((one, link) for one, link in rows if one.kind is Kind.contended),
        isolated=tuple(JobLinkUtilisation(job=job, use=use) for job, use in alone if use is not None),
        bytes=sum(link.bytes for _, link in rows), drops=sum(link.drops for _, link in rows),
    )  # fmt: skip


def _median(rows: Iterable[tuple[Round, LinkTraffic]]) -> float | None:
    """Of the shares of what the link could have carried in each round."""
    shares = [
        link.bytes * 8 / (link.rate_bits_per_s * one.duration_s)
        for one, link in rows
        if link.rate_bits_per_s and one.duration_s > 0
    ]
    return float(np.median(shares)) if shares else None
