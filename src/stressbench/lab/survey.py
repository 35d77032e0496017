"""`lab check`: every link measured by streams of its own, and what is off."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.units import Rate
from stressbench.lab.addresses import address_of
from stressbench.lab.counters import LinkCount, count
from stressbench.lab.lifecycle import Running
from stressbench.lab.shaping import FRAME_BYTES, PAYLOAD_SHARE
from stressbench.lab.stream import Port, ping_s, stream
from stressbench.lab.topology import End, Link

_SHORTEST_S, _LONGEST_S = 0.3, 5.0
_FRAMES = 400
_SLOW_PING_S = 0.002


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One direction of a link: what streams brought of what one can bring at best.

    `shares` holds every stream in order, `share` and `payload_bits_per_s` are their median; None, and no stream, where
    the link is down. `off` says what is wrong, None when nothing is.
    """

    link: str
    source: str
    target: str
    rate_bits_per_s: int
    payload_bits_per_s: int | None
    share: float | None
    shares: tuple[float, ...]
    ping_s: float | None
    off: str | None


def survey(running: Running, *, tolerance: float, streams: int) -> Iterator[Finding]:
    """Measure link after link, each direction by itself with so many streams, one at a time; findings as they come.

    The median stream must bring what the link is set to now, within `tolerance`; that this is not the file's rate is
    said as well.
    """
    for one in count(running).links:
        for source, target, sent in ((one.link.a, one.link.b, one.from_a), (one.link.b, one.link.a, one.from_b)):
            yield _measured(running, one, source, target, sent.bucket.rate, tolerance, streams)


def _measured(
    running: Running, one: LinkCount, source: End, target: End, rate: Rate, tolerance: float, streams: int
) -> Finding:
    link = one.link
    if not one.is_up:
        return Finding(
            link=link.name, source=source.node, target=target.node, rate_bits_per_s=rate.bits_per_s,
            payload_bits_per_s=None, share=None, shares=(), ping_s=None, off="it is down",
        )  # fmt: skip
    near, far = _port(running, link, source), _port(running, link, target)
    seconds = min(_LONGEST_S, max(_SHORTEST_S, _FRAMES * FRAME_BYTES / rate.bytes_per_s))
    payloads = [stream(near, far, seconds=seconds) for _ in range(streams)]
    return judged(link, source, target, rate, payloads=payloads, taken_s=ping_s(near, far), tolerance=tolerance)


def judged(
    link: Link, source: End, target: End, rate: Rate, *, payloads: Sequence[Rate], taken_s: float, tolerance: float
) -> Finding:
    """What streams of these rates say about one direction of a link that is set to `rate`; at least one stream."""
    best = rate.scaled(PAYLOAD_SHARE)
    shares = tuple(payload.bits_per_s / best.bits_per_s for payload in payloads)
    return Finding(
        link=link.name, source=source.node, target=target.node, rate_bits_per_s=rate.bits_per_s,
        payload_bits_per_s=round(median(payload.bits_per_s for payload in payloads)), share=median(shares),
        shares=shares, ping_s=taken_s, off=_verdict(link, rate, median(shares), taken_s, tolerance),
    )  # fmt: skip


def _verdict(link: Link, rate: Rate, share: float, taken_s: float, tolerance: float) -> str | None:
    found = []
    if abs(share - 1) > tolerance:
        found.append(f"a stream brings {share:.1%} of what it should")
    allowed_s = _SLOW_PING_S + 2 * (link.delay.ns / 1e9 if link.delay else 0.0) + 2 * FRAME_BYTES / rate.bytes_per_s
    if taken_s > allowed_s:
        found.append(f"a byte there and back takes {taken_s * 1e3:.1f} ms")
    if rate != link.rate:
        found.append(f"it is set to {rate}, its file says {link.rate}")
    return "; ".join(found) or None


def _port(running: Running, link: Link, end: End) -> Port:
    """A bridge speaks with the address of br0, through whichever port leads there: between neighbours, this link."""
    node = running.lab.node(end.node)
    bridge = node.is_switch and running.lab.forwarding is Forwarding.bridge
    return Port(
        node=node.name,
        holder=running.holder(node.name),
        address=address_of(node, rail=link.rail),
        device="br0" if bridge else end.device,
    )
