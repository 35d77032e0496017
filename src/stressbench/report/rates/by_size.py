"""Bandwidth over message size at each rate: Figure 1 of Pedretti et al."""

from collections.abc import Iterator, Sequence

from stressbench.report.bandwidth_by_size import BandwidthLine, BandwidthPoint, draw_bandwidth
from stressbench.report.document import Figure
from stressbench.report.names import printable
from stressbench.report.units import count, rate, size
from stressbench.results.rates import Degradation, RateBandwidth

_MAX_FIGURES = 8
_CAPTION = (
    "Bandwidth of the motif's messages, of all pairs, from the median time over rounds, with a bar for its 95 % "
    "interval; both axes are logarithmic. Where lines meet, latency limits the messages, not the rate."
)


def draw_by_size(degradation: Degradation) -> Iterator[Figure]:
    """A figure for each job, motif and number of ranks with several sizes."""
    groups: dict[tuple[str, ...], list[RateBandwidth]] = {}
    for one in degradation.bandwidths:
        ranks = "" if one.ranks is None else count(one.ranks, "rank")
        groups.setdefault((*one.where.values(), one.job, one.motif, ranks), []).append(one)
    with_sizes = [(names, those) for names, those in groups.items() if len({one.size_bytes for one in those}) > 1]
    for number, (names, those) in enumerate(with_sizes[:_MAX_FIGURES], start=1):
        name = printable(", ".join(dict.fromkeys(word for word in names if word)))
        yield _figure(name, those, degradation.rates, key=f"degradation-size-{number}")


def _figure(name: str, bandwidths: Sequence[RateBandwidth], rates: Sequence[str], *, key: str) -> Figure:
    ordered = sorted(bandwidths, key=lambda one: one.size_bytes)
    lines = [
        BandwidthLine(
            name=f"rate {known}",
            points=[
                BandwidthPoint(size_bytes=one.size_bytes, bytes_per_s=one.bytes_per_s, low=one.low, high=one.high)
                for one in ordered
                if one.rate == known
            ],
        )
        for known in rates
    ]
    last = ordered[-1].size_bytes
    longest = ", ".join(f"{one.rate} {rate(one.bytes_per_s)}" for one in ordered if one.size_bytes == last)
    return draw_bandwidth(
        lines, key=key, title=f"{name}: bandwidth by message size and rate", caption=_CAPTION,
        description=f"With messages of {size(last)}: {longest}.",
    )  # fmt: skip
