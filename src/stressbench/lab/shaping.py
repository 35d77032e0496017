"""How a link is made to carry its rate: a token bucket at each end, as lines for `tc -batch`. Pure."""

from stressbench.lab.topology import End, Link
from stressbench.lab.units import Bytes, Rate

FRAME_BYTES = 1514
"""The longest frame: 1448 bytes of a TCP stream, its headers (with timestamps) and Ethernet's."""
PAYLOAD_SHARE = 1448 / 1514
"""What a TCP stream carries at best of a link's rate."""
_HANDLE = "10:"
_BURST_S = 0.0005
_DEFAULT_QUEUE = Bytes(4 * 2**20)
_NETEM_FRAMES = 10_000


def burst_of(rate: Rate) -> Bytes:
    """What passes at once after a pause.

    Two frames at least, so that a message as short as a frame or two takes its time on the wire; half a millisecond's
    worth at high rates, because that is how late the kernel's timer may come.
    """
    return Bytes(max(2 * FRAME_BYTES, round(rate.bytes_per_s * _BURST_S)))


def token_bucket_lines(link: Link, end: End, *, rate: Rate | None = None) -> tuple[str, ...]:
    """What makes this end send at the link's rate, or at `rate`; to be said again to change it."""
    parent = "root"
    lines = []
    if link.delay is not None:
        lines.append(f"qdisc replace dev {end.device} root handle 1: netem delay {link.delay} limit {_NETEM_FRAMES}")
        parent = "parent 1:1"
    chosen = rate or link.rate
    queue = link.queue or _DEFAULT_QUEUE
    bucket = f"rate {chosen.bits_per_s}bit burst {burst_of(chosen).count} limit {queue.count}"
    lines.append(f"qdisc replace dev {end.device} {parent} handle {_HANDLE} tbf {bucket}")
    return tuple(lines)
