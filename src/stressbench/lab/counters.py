"""What each link has carried: the kernel's own counters at both ends, and rates between two looks at them."""

import json
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stressbench.lab.attention import be_prompt
from stressbench.lab.batch import BatchFault, program_of
from stressbench.lab.inside import inside
from stressbench.lab.lifecycle import Running
from stressbench.lab.queues import PRINT_QUEUES, Bucket, bucket_of
from stressbench.lab.topology import End, Lab, Link


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What one end of a link has sent: frames with their headers.

    `at_s`: when its node was asked, on a clock that never goes back.
    """

    at_s: float
    bucket: Bucket
    is_up: bool


@dataclass(frozen=True, kw_only=True)
class LinkCount:
    """Both directions of a link."""

    link: Link
    from_a: Sent
    from_b: Sent

    @property
    def is_up(self) -> bool:
        """Whether frames can pass."""
        return self.from_a.is_up and self.from_b.is_up


@dataclass(frozen=True, kw_only=True)
class Count:
    """A look at all links."""

    links: tuple[LinkCount, ...]


@dataclass(frozen=True, kw_only=True)
class Direction:
    """One direction of a link: totals since it came up, and `use`, the share of its rate between two looks, or None."""

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


def count(running: Running) -> Count:
    """A look now. LabFault where a node cannot be asked."""
    asked = {
        node.name: inside(running.holder(node.name).pid, _ask, where=node.name) for node in running.lab.nodes
    }  # all at the same time
    found: Mapping[str, Any] = {name: asking.value() for name, asking in asked.items()}
    links = tuple(
        LinkCount(link=link, from_a=_sent(found[link.a.node], link.a), from_b=_sent(found[link.b.node], link.b))
        for link in running.lab.links
    )
    return Count(links=links)


def bytes_by_card(lab: Lab, now: Count) -> dict[str, tuple[int, int]]:
    """Bytes sent and received by the hosts' cards `eth0`, `eth1`... one a rail, added over all hosts."""
    hosts = {host.name for host in lab.hosts}
    sent, received = [0] * lab.rails, [0] * lab.rails
    for one in now.links:
        for end, here, there in ((one.link.a, one.from_a, one.from_b), (one.link.b, one.from_b, one.from_a)):
            if end.node in hosts:
                sent[one.link.rail] += here.bucket.bytes
                received[one.link.rail] += there.bucket.bytes
    return {f"eth{rail}": (sent[rail], received[rail]) for rail in range(lab.rails)}


def directions(now: Count, *, before: Count | None = None) -> tuple[Direction, ...]:
    """Each link's two directions, with their use since `before` where it is given."""
    earlier = {one.link.name: one for one in before.links} if before is not None else {}
    made = []
    for one in now.links:
        old = earlier.get(one.link.name)
        made.append(_direction(one.link, one.link.a, one.from_a, old.from_a if old else None))
        made.append(_direction(one.link, one.link.b, one.from_b, old.from_b if old else None))
    return tuple(made)


def _direction(link: Link, source: End, sent: Sent, old: Sent | None) -> Direction:
    bucket, use = sent.bucket, None
    if old is not None and sent.at_s > old.at_s:
        use = (bucket.bytes - old.bucket.bytes) / (bucket.rate.bytes_per_s * (sent.at_s - old.at_s))
    return Direction(
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


def _ask() -> dict[str, Any]:
    """In the node's network: its devices and their queues, as the programs print them."""
    be_prompt()
    devices = _printed("ip", "-j", "link")
    return {"devices": devices, "at_s": time.monotonic(), "queues": _printed("tc", *PRINT_QUEUES)}


def _printed(tool: str, *words: str) -> Any:
    program = program_of(tool)
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BatchFault(f"{tool} {' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def _sent(found: Mapping[str, Any], end: End) -> Sent:
    device = next(one for one in found["devices"] if one["ifname"] == end.device)
    return Sent(
        at_s=found["at_s"],
        bucket=bucket_of(found["queues"], node=end.node, device=end.device),
        is_up="UP" in device["flags"],
    )
