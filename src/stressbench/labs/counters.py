"""Link counters from the kernel at both ends of each link, and utilisation between two readings."""

import json
import subprocess
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stressbench.formats.lab.routing import Routing
from stressbench.labs.adaptive import PortCounters, read_port_counters
from stressbench.labs.adaptive_routes import ports_of
from stressbench.labs.errors import LabFault
from stressbench.labs.iproute import IprouteFault, tool_path
from stressbench.labs.lifecycle import RunningLab
from stressbench.labs.network_task import start_in_network
from stressbench.labs.priority import raise_priority
from stressbench.labs.queues import QDISC_ARGUMENTS, TokenBucket, token_bucket
from stressbench.labs.status import LinkDirection
from stressbench.labs.topology import End, Lab, Link


@dataclass(frozen=True, kw_only=True)
class EndCounters:
    """Counters of the frames sent by one end of a link; `at_s` is the time of the reading on the monotonic clock.

    `port` is None except at switches that route adaptively.
    """

    at_s: float
    bucket: TokenBucket
    is_up: bool
    port: PortCounters | None = None


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


def read_counters(running: RunningLab) -> LabCounters:
    """Read the counters of all links. Raises LabFault if a node cannot be read."""
    tasks = {  # in all nodes concurrently
        node.name: start_in_network(running.holder(node.name).pid, _read_node, where=node.name)
        for node in running.lab.nodes
    }
    outputs: Mapping[str, Any] = {name: task.result() for name, task in tasks.items()}
    ports = _port_counters(running)
    links = tuple(
        LinkCounters(
            link=link,
            from_a=_end_counters(outputs[link.a.node], link.a, ports.get(link.a)),
            from_b=_end_counters(outputs[link.b.node], link.b, ports.get(link.b)),
        )
        for link in running.lab.links
    )
    return LabCounters(links=links)


def _port_counters(running: RunningLab) -> Mapping[End, PortCounters]:
    lab = running.lab
    found: dict[End, PortCounters] = {}
    if lab.routing is Routing.adaptive:
        for switch in lab.switches:
            links = ports_of(lab, switch.name)
            try:
                counted = read_port_counters(
                    switch.number, len(links), root=Path(f"/proc/{running.holder(switch.name).pid}/root")
                )
            except OSError as fault:
                raise LabFault(f"{switch.name}: {fault.strerror}") from fault
            found |= {link.end_at(switch.name): port for link, port in zip(links, counted, strict=True)}
    return found


def bytes_by_nic(lab: Lab, now: LabCounters) -> dict[str, tuple[int, int]]:
    """Bytes sent and received by the NICs `eth0`, `eth1`, ... (one per rail), summed over all hosts."""
    hosts = {host.name for host in lab.hosts}
    sent, received = [0] * lab.rails, [0] * lab.rails
    for one in now.links:
        for end, own, opposite in ((one.link.a, one.from_a, one.from_b), (one.link.b, one.from_b, one.from_a)):
            if end.node in hosts:
                sent[one.link.rail] += own.bucket.bytes
                received[one.link.rail] += opposite.bucket.bytes
    return {f"eth{rail}": (sent[rail], received[rail]) for rail in range(lab.rails)}


def link_directions(now: LabCounters, *, before: LabCounters | None = None) -> tuple[LinkDirection, ...]:
    """Both directions of each link, with their utilisation since `before` if it is given."""
    earlier = {one.link.name: one for one in before.links} if before is not None else {}
    directions = []
    for one in now.links:
        previous = earlier.get(one.link.name)
        directions.append(_direction(one.link, one.link.a, one.from_a, previous.from_a if previous else None))
        directions.append(_direction(one.link, one.link.b, one.from_b, previous.from_b if previous else None))
    return tuple(directions)


def _direction(link: Link, source: End, sent: EndCounters, previous: EndCounters | None) -> LinkDirection:
    bucket, use = sent.bucket, None
    if previous is not None and sent.at_s > previous.at_s:
        use = (bucket.bytes - previous.bucket.bytes) / (bucket.rate.bytes_per_s * (sent.at_s - previous.at_s))
    return LinkDirection(
        link=link.name,
        source=source.node,
        target=link.opposite_end(source.node).node,
        rate_bits_per_s=bucket.rate.bits_per_s,
        is_up=sent.is_up,
        bytes=bucket.bytes,
        frames=bucket.frames,
        drops=bucket.drops,
        waiting_bytes=bucket.waiting_bytes,
        use=use,
        **({} if sent.port is None else asdict(sent.port)),
    )


def _read_node() -> dict[str, Any]:
    """Devices and queues of this process's network namespace, as printed by `ip` and `tc`."""
    raise_priority()
    devices = _run_json("ip", "-j", "link")
    return {"devices": devices, "at_s": time.monotonic(), "queues": _run_json("tc", *QDISC_ARGUMENTS)}


def _run_json(tool: str, *arguments: str) -> Any:
    program = tool_path(tool)
    completed = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    if completed.returncode != 0:
        raise IprouteFault(f"{tool} {' '.join(arguments)}: {completed.stderr.strip()}")
    return json.loads(completed.stdout)


def _end_counters(output: Mapping[str, Any], end: End, port: PortCounters | None) -> EndCounters:
    device = next(one for one in output["devices"] if one["ifname"] == end.device)
    return EndCounters(
        at_s=output["at_s"],
        bucket=token_bucket(output["queues"], node=end.node, device=end.device),
        is_up="UP" in device["flags"],
        port=port,
    )
