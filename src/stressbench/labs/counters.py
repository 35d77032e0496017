"""Link counters from the kernel at both ends of each link, and utilisation between two readings."""

import json
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stressbench.labs.iproute import IprouteFault, tool_path
from stressbench.labs.lifecycle import RunningLab
from stressbench.labs.network_task import start_in_network
from stressbench.labs.priority import raise_priority
from stressbench.labs.queues import QDISC_ARGUMENTS, TokenBucket, token_bucket
from stressbench.labs.topology import End, Lab, Link


@dataclass(frozen=True, kw_only=True)
class EndCounters:
    """Counters of the frames sent by one end of a link; `at_s` is the time of the reading on the monotonic clock."""

    at_s: float
    bucket: TokenBucket
    is_up: bool


@dataclass(frozen=True, kw_only=True)
class LinkCounters:
    """Counters of both directions of a link."""

    link: Link
    from_a: EndCounters
    from_b: EndCounters

    @property
    def is_up(self) -> bool:
        """Whether both ends are up."""
        return self.from_a.is_up and self.from_b.is_up


@dataclass(frozen=True, kw_only=True)
class LabCounters:
    """A reading of the counters of all links."""

    links: tuple[LinkCounters, ...]


@dataclass(frozen=True, kw_only=True)
class LinkDirection:
    """One direction of a link: totals since it came up, and its utilisation.

    `use` is the share of the rate used between two readings (frames with headers), None for a single reading.
    """

    link: str
    source: str
    target: str
    rate_bits_per_s: int
    is_up: bool
    bytes: int
    frames: int
    drops: int
    waiting_bytes: int
    use: float | None


def read_counters(running: RunningLab) -> LabCounters:
    """Read the counters of all links. Raises LabFault if a node cannot be read."""
    asked = {  # in all nodes concurrently
        node.name: start_in_network(running.holder(node.name).pid, _read_node, where=node.name)
        for node in running.lab.nodes
    }
    found: Mapping[str, Any] = {name: asking.result() for name, asking in asked.items()}
    links = tuple(
        LinkCounters(
            link=link,
            from_a=_end_counters(found[link.a.node], link.a),
            from_b=_end_counters(found[link.b.node], link.b),
        )
        for link in running.lab.links
    )
    return LabCounters(links=links)


def bytes_by_nic(lab: Lab, now: LabCounters) -> dict[str, tuple[int, int]]:
    """Bytes sent and received by the NICs `eth0`, `eth1`, ... (one per rail), summed over all hosts."""
    hosts = {host.name for host in lab.hosts}
    sent, received = [0] * lab.rails, [0] * lab.rails
    for one in now.links:
        for end, here, there in ((one.link.a, one.from_a, one.from_b), (one.link.b, one.from_b, one.from_a)):
            if end.node in hosts:
                sent[one.link.rail] += here.bucket.bytes
                received[one.link.rail] += there.bucket.bytes
    return {f"eth{rail}": (sent[rail], received[rail]) for rail in range(lab.rails)}


def link_directions(now: LabCounters, *, before: LabCounters | None = None) -> tuple[LinkDirection, ...]:
    """Both directions of each link, with their utilisation since `before` if it is given."""
    earlier = {one.link.name: one for one in before.links} if before is not None else {}
    made = []
    for one in now.links:
        old = earlier.get(one.link.name)
        made.append(_direction(one.link, one.link.a, one.from_a, old.from_a if old else None))
        made.append(_direction(one.link, one.link.b, one.from_b, old.from_b if old else None))
    return tuple(made)


def _direction(link: Link, source: End, sent: EndCounters, old: EndCounters | None) -> LinkDirection:
    bucket, use = sent.bucket, None
    if old is not None and sent.at_s > old.at_s:
        use = (bucket.bytes - old.bucket.bytes) / (bucket.rate.bytes_per_s * (sent.at_s - old.at_s))
    return LinkDirection(
        link=link.name,
        source=source.node,
        target=link.beyond(source.node).node,
        rate_bits_per_s=bucket.rate.bits_per_s,
        is_up=sent.is_up,
        bytes=bucket.bytes,
        frames=bucket.frames,
        drops=bucket.drops,
        waiting_bytes=bucket.waiting_bytes,
        use=use,
    )


def _read_node() -> dict[str, Any]:
    """Devices and queues of this process's network namespace, as printed by `ip` and `tc`."""
    raise_priority()
    devices = _run_json("ip", "-j", "link")
    return {"devices": devices, "at_s": time.monotonic(), "queues": _run_json("tc", *QDISC_ARGUMENTS)}


def _run_json(tool: str, *words: str) -> Any:
    program = tool_path(tool)
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise IprouteFault(f"{tool} {' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def _end_counters(found: Mapping[str, Any], end: End) -> EndCounters:
    device = next(one for one in found["devices"] if one["ifname"] == end.device)
    return EndCounters(
        at_s=found["at_s"],
        bucket=token_bucket(found["queues"], node=end.node, device=end.device),
        is_up="UP" in device["flags"],
    )
