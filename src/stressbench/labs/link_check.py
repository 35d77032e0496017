"""`stressbench lab check`: measures every link with TCP streams and reports deviations from its rate."""

import math
from collections.abc import Iterator, Sequence
from statistics import median

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.units import Rate
from stressbench.labs.addresses import address_of
from stressbench.labs.counters import LinkCounters, read_counters
from stressbench.labs.lifecycle import RunningLab
from stressbench.labs.shaping import FRAME_BYTES, PAYLOAD_SHARE
from stressbench.labs.status import LinkCheck
from stressbench.labs.stream import Endpoint, ping_s, stream
from stressbench.labs.topology import End, Link

_SHORTEST_S, _LONGEST_S = 0.3, 5.0
_FRAMES = 400
_SLOW_PING_S = 0.002


def check_links(running: RunningLab, *, tolerance: float, streams: int) -> Iterator[LinkCheck]:
    """Measure the links one after the other and yield the result of each direction.

    Each direction is measured separately with `streams` consecutive streams. Their median rate must match the link's
    current rate within `tolerance` (share of the rate). A rate that differs from the lab file is reported as well.
    Raises LabMistake for a `tolerance` that is not a number or negative.
    """
    if not 0 <= tolerance < math.inf:
        raise LabMistake(f"--tolerance: {tolerance}: expected 0 or more, such as 0.03")
    for one in read_counters(running).links:
        for source, target, sent in ((one.link.a, one.link.b, one.from_a), (one.link.b, one.link.a, one.from_b)):
            yield _measured(running, one, source, target, sent.bucket.rate, tolerance, streams)


def _measured(
    running: RunningLab, counters: LinkCounters, source: End, target: End, rate: Rate, tolerance: float, streams: int
) -> LinkCheck:
    link = counters.link
    if not counters.is_up:
        return LinkCheck(
            link=link.name, source=source.node, target=target.node, rate_bits_per_s=rate.bits_per_s,
            payload_bits_per_s=None, share=None, shares=(), ping_s=None, off="it is down",
        )  # fmt: skip
    source_endpoint, target_endpoint = _endpoint(running, link, source), _endpoint(running, link, target)
    seconds = min(_LONGEST_S, max(_SHORTEST_S, _FRAMES * FRAME_BYTES / rate.bytes_per_s))
    payloads = [stream(source_endpoint, target_endpoint, seconds=seconds) for _ in range(streams)]
    return evaluate_streams(
        link,
        source,
        target,
        rate,
        payloads=payloads,
        round_trip_s=ping_s(source_endpoint, target_endpoint),
        tolerance=tolerance,
    )


def evaluate_streams(
    link: Link, source: End, target: End, rate: Rate, *, payloads: Sequence[Rate], round_trip_s: float, tolerance: float
) -> LinkCheck:
    """Evaluate streams with these payload rates (at least one) on one direction of a link that is set to `rate`."""
    max_payload_rate = rate.scaled(PAYLOAD_SHARE)
    shares = tuple(payload.bits_per_s / max_payload_rate.bits_per_s for payload in payloads)
    return LinkCheck(
        link=link.name, source=source.node, target=target.node, rate_bits_per_s=rate.bits_per_s,
        payload_bits_per_s=round(median(payload.bits_per_s for payload in payloads)), share=median(shares),
        shares=shares, ping_s=round_trip_s, off=_deviation(link, rate, median(shares), round_trip_s, tolerance),
    )  # fmt: skip


def _deviation(link: Link, rate: Rate, share: float, round_trip_s: float, tolerance: float) -> str | None:
    deviations = []
    if abs(share - 1) > tolerance:
        deviations.append(f"a stream reaches {share:.1%} of the expected rate")
    max_round_trip_s = (
        _SLOW_PING_S + 2 * (link.delay.ns / 1e9 if link.delay else 0.0) + 2 * FRAME_BYTES / rate.bytes_per_s
    )
    if round_trip_s > max_round_trip_s:
        deviations.append(f"a round trip of one byte takes {round_trip_s * 1e3:.1f} ms")
    if rate != link.rate:
        deviations.append(f"it is set to {rate}, the lab file states {link.rate}")
    return "; ".join(deviations) or None


def _endpoint(running: RunningLab, link: Link, end: End) -> Endpoint:
    """The endpoint of a stream. A bridge uses the address of br0; its frames to the neighbour cross this link."""
    node = running.lab.node(end.node)
    bridge = node.is_switch and running.lab.forwarding is Forwarding.bridge
    return Endpoint(
        node=node.name,
        holder=running.holder(node.name),
        address=address_of(node, rail=link.rail),
        device="br0" if bridge else end.device,
    )
