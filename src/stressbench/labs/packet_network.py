"""A lab as the network file of stressbench-ns3: the same hosts, links, rates, queues and routes. Pure.

The format: docs/how-to/ns3.md; engine/packet/network.cpp reads it.
"""

from collections.abc import Iterator, Mapping

from stressbench.formats.lab.arbitration import Arbitration
from stressbench.labs.platform import require_simulatable
from stressbench.labs.routing import hops
from stressbench.labs.shaping import burst_of, queue_of
from stressbench.labs.topology import Lab

_HOP_NS = 1_500  # from the queue of a veth pair to the queue of the next node

TCP: Mapping[str, int] = {
    "segment_bytes": 1448,
    "window_bytes": 77 * 1448,  # 85 % of tcp_rmem's 131072 bytes: what a lab's connection has in flight (measured)
    "send_buffer_bytes": 512 * 1024,
    "initial_segments": 64,
    "timeout_margin_ns": 5_000_000,  # tcp_rto_min_us, above the round trip
    "min_timeout_ns": 50_000_000,  # above waits in queues: ns-3 does not undo spurious timeouts, as Linux does (F-RTO)
    "max_timeout_ns": 1_000_000_000,  # tcp_rto_max_ms
}
"""TCP of a lab's hosts (labs/plan.py)."""
MPI: Mapping[str, int] = {
    "eager_bytes": 64 * 1024,
    "header_bytes": 32,
    "send_overhead_ns": 2_000,
    "receive_overhead_ns": 2_800,
    "local_latency_ns": 1_000,
    "local_bytes_per_s": 10_000_000_000,
}
"""Messages as those of Open MPI over TCP and shared memory."""


def settings_of(lab: Lab, *, pause_bytes: int = 0) -> dict[str, int]:
    """All settings of the simulation. `pause_bytes`: bytes of one input from which a switch pauses it; 0: never."""
    return {
        **TCP,
        **MPI,
        "marking_ns": 0 if lab.marking is None else lab.marking.ns,
        "fair": int(lab.arbitration is Arbitration.fair),
        "pause_bytes": pause_bytes,
    }


def network_of(lab: Lab, settings: Mapping[str, int]) -> str:
    """Text of the network file. Raises LabMistake for labs with several rails or noise, which it cannot represent."""
    require_simulatable(lab)
    return "".join(f"{line}\n" for line in _lines(lab, settings))


def _lines(lab: Lab, settings: Mapping[str, int]) -> Iterator[str]:
    yield "stressbench-network 1"
    yield from (f"set {name} {value}" for name, value in settings.items())
    yield from (f"host {node.name}" for node in lab.stations)
    yield from (f"switch {node.name}" for node in lab.switches)
    for link in lab.links:
        latency_ns = _HOP_NS + (link.delay.ns if link.delay else 0)
        queue, burst = queue_of(link).count, burst_of(link.rate).count
        yield f"link {link.name} {link.a.node} {link.b.node} {link.rate.bits_per_s:.0f} {latency_ns} {queue} {burst}"
    for hop in hops(lab, rail=0):
        if not hop.destination.is_switch:
            yield f"route {hop.node} {hop.destination.name} {hop.link.name}"
