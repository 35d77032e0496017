"""Queues at the ends of links, as commands for `tc -batch`: a token bucket filter, and in it those of sources. Pure."""

from collections.abc import Iterator, Sequence

from stressbench.formats.units import Bytes, Rate
from stressbench.labs.topology import End, Link

FRAME_BYTES = 1514
"""The longest frame: 1448 bytes of TCP payload, TCP/IP headers with timestamps, and the Ethernet header."""
PAYLOAD_SHARE = 1448 / 1514
"""The highest share of a link's rate that a TCP stream can use for payload."""
MAX_FAIR_STATIONS = 250
"""Limit of hosts and I/O nodes that switches serve in turns: each of them has a queue at every link."""
_HANDLE = "10:"
_TURNS = "20:"
_OTHERS = "ffff"
_BURST_S = 0.0002
_DEFAULT_QUEUE = Bytes(4 * 2**20)
_NETEM_FRAMES = 10_000
_UNLIMITED = "rate 40gbit burst 64kb cburst 64kb"


def burst_of(rate: Rate) -> Bytes:
    """Size of the token bucket, the burst that passes at line rate after a pause.

    Two frames at low rates, so that even short messages are limited to the rate; at high rates the data of 0.2 ms: the
    kernel's timer is 0.07 ms late on virtual machines, so that half of it would cost up to 4 % of the rate.
    """
    return Bytes(max(2 * FRAME_BYTES, round(rate.bytes_per_s * _BURST_S)))


def queue_of(link: Link) -> Bytes:
    """Length of the queue at each end of a link: as stated, or 4 MiB."""
    return link.queue or _DEFAULT_QUEUE


def token_bucket_lines(link: Link, end: End, *, rate: Rate | None = None) -> tuple[str, ...]:
    """`tc` commands that limit an end of a link to its rate or to `rate`; running them again changes the rate."""
    parent = "root"
    lines = []
    if link.delay is not None:
        lines.append(f"qdisc replace dev {end.device} root handle 1: netem delay {link.delay} limit {_NETEM_FRAMES}")
        parent = "parent 1:1"
    effective_rate = rate or link.rate
    bucket = f"rate {effective_rate.bits_per_s}bit burst {burst_of(effective_rate).count} limit {queue_of(link).count}"
    lines.append(f"qdisc replace dev {end.device} {parent} handle {_HANDLE} tbf {bucket}")
    return tuple(lines)


def turns_lines(link: Link, end: End, sources: Sequence[str]) -> Iterator[str]:
    """`tc` commands that let the token bucket of an end send frames of these addresses in turns, each as many bytes.

    A class of htb with more than the link's rate is served whenever its turn comes; the token bucket alone limits it.
    Frames of other senders, such as ARP, have a class of their own.
    """
    yield f"qdisc add dev {end.device} parent {_HANDLE}1 handle {_TURNS} htb default {_OTHERS}"
    numbers = [f"{number:x}" for number in range(1, len(sources) + 1)]
    for number in (*numbers, _OTHERS):
        turn = f"{_TURNS}{number}"
        yield f"class add dev {end.device} parent {_TURNS} classid {turn} htb {_UNLIMITED} quantum {FRAME_BYTES}"
        yield f"qdisc add dev {end.device} parent {turn} bfifo limit {queue_of(link).count}"
    for number, address in zip(numbers, sources, strict=True):
        match = f"protocol ip prio 1 u32 match ip src {address}/32"
        yield f"filter add dev {end.device} parent {_TURNS} {match} flowid {_TURNS}{number}"
