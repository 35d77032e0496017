"""`lab check`: every link measured by a stream of its own, and what is off."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from stressbench.lab.addresses import address_of
from stressbench.lab.counters import LinkCount, count
from stressbench.lab.lifecycle import Running
from stressbench.lab.shaping import FRAME_BYTES, PAYLOAD_SHARE
from stressbench.lab.stream import Port, ping_s, stream
from stressbench.lab.topology import End, Forwarding, Link
from stressbench.lab.units import Rate

_SHORTEST_S, _LONGEST_S = 0.3, 5.0
_FRAMES = 400
_PAUSES_S = (0.0, 0.5, 1.0, 2.0, 4.0)  # before a link that seems to be off is measured again
_SLOW_PING_S = 0.002


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One direction of a link. `share`: what a stream brought of what it can bring at best; None where it is down.

    `off` says what is wrong, None when nothing is.
    """

    link: str
    source: str
    target: str
    rate_bits_per_s: int
    payload_bits_per_s: int | None
    share: float | None
    ping_s: float | None
    off: str | None


def survey(running: Running, *, tolerance: float) -> Iterator[Finding]:
    """Measure link after link, each direction by itself; findings as they come.

    A link must carry what it is set to now within `tolerance`; that this is not the file's rate is said as well.
    """
    for one in count(running).links:
        for source, target, sent in ((one.link.a, one.link.b, one.from_a), (one.link.b, one.link.a, one.from_b)):
            yield _measured(running, one, source, target, sent.bucket.rate, tolerance)


def _measured(running: Running, one: LinkCount, source: End, target: End, rate: Rate, tolerance: float) -> Finding:
    link = one.link
    if not one.is_up:
        return Finding(
            link=link.name, source=source.node, target=target.node, rate_bits_per_s=rate.bits_per_s,
            payload_bits_per_s=None, share=None, ping_s=None, off="it is down",
        )  # fmt: skip
    near, far = _port(running, link, source), _port(running, link, target)
    seconds = min(_LONGEST_S, max(_SHORTEST_S, _FRAMES * FRAME_BYTES / rate.bytes_per_s))
    best = rate.scaled(PAYLOAD_SHARE)
    payload = stream(near, far, seconds=seconds)
    for pause_s in _PAUSES_S:  # a busy machine starves a stream for a while; a link that is off is off each time
        if abs(payload.bits_per_s / best.bits_per_s - 1) <= tolerance:
            break
        time.sleep(pause_s)
        other = stream(near, far, seconds=seconds)
        payload = min(payload, other, key=lambda found: abs(found.bits_per_s - best.bits_per_s))
    share = payload.bits_per_s / best.bits_per_s
    taken_s = ping_s(near, far)
    return Finding(
        link=link.name, source=source.node, target=target.node, rate_bits_per_s=rate.bits_per_s,
        payload_bits_per_s=payload.bits_per_s, share=share, ping_s=taken_s,
        off=_verdict(link, rate, share, taken_s, tolerance),
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
