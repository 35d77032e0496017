"""Changes to the links of a lab that is up."""

import fnmatch
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.lab.routing import Routing
from stressbench.formats.toml.complaints import unknown_message
from stressbench.formats.units import Rate, UnitError, parse_rate, parse_rate_share
from stressbench.labs.adaptive import set_port_rates
from stressbench.labs.adaptive_routes import ports_of, ps_per_byte
from stressbench.labs.counters import EndCounters, read_counters
from stressbench.labs.errors import LabFault
from stressbench.labs.iproute import run_iproute
from stressbench.labs.lifecycle import RunningLab
from stressbench.labs.network_task import start_in_network
from stressbench.labs.plan import plan
from stressbench.labs.shaping import token_bucket_lines
from stressbench.labs.subset import require_possible_share
from stressbench.labs.topology import End, Lab, Link

_EXPECTED = "expected rate=50Mbit, rate=half, rate=1/4, rate=25%, down or up"


@dataclass(frozen=True, kw_only=True)
class LinkChange:
    """Change to apply to links: a new rate, absolute or as a share of the lab file's rate, or up or down."""

    rate: Rate | None = None
    share: float | None = None
    is_up: bool | None = None

    def rate_of(self, link: Link) -> Rate:
        """The link's new rate."""
        return self.rate or link.rate.scaled(1.0 if self.share is None else self.share)


def parse_change(text: str) -> LinkChange:
    """Parse `rate=50Mbit`, `rate=half`, `down` or `up`. Raises LabMistake for anything else."""
    if text in ("down", "up"):
        return LinkChange(is_up=text == "up")
    key, equals, value = text.partition("=")
    if key != "rate" or not equals:
        raise LabMistake(f"'{text}': {_EXPECTED}")
    with suppress(UnitError):
        share = float(parse_rate_share(value))
        if share == 0:
            raise LabMistake(f"'{text}': a link of rate 0 would carry nothing; `down` cuts it")
        return LinkChange(share=share)
    try:
        return LinkChange(rate=parse_rate(value))
    except UnitError as fault:
        raise LabMistake(f"'{text}': {fault}; or a share: half, quarter, eighth, full, 1/3, 25%") from None


def select_links(lab: Lab, word: str) -> tuple[Link, ...]:
    """Links selected by `word`: a link name or pattern, a node (all its links), `all`, or `hosts` (all NICs of hosts).

    Raises LabMistake if nothing matches.
    """
    names = tuple(link.name for link in lab.links)
    if word == "all":
        return lab.links
    if word == "hosts":
        hosts = {host.name for host in lab.hosts}
        return tuple(link for link in lab.links if link.a.node in hosts or link.b.node in hosts)
    if any(node.name == word for node in lab.nodes):
        return lab.links_of(word)
    matching = tuple(link for link in lab.links if fnmatch.fnmatchcase(link.name, word))
    if not matching:
        raise LabMistake(f"lab {lab.name}: {unknown_message('link', word, ('all', 'hosts', *names))}")
    return matching


def apply_change(running: RunningLab, links: Iterable[Link], change: LinkChange) -> None:
    """Apply a change to both ends of the links. A link that comes up has the rate that it had before it went down.

    Raises LabMistake if a link cannot have the new rate, before any is changed, and LabFault if a node refuses it.
    """
    changed_links = tuple(links)
    if change.share is not None and changed_links:
        require_possible_share(changed_links, change.share)
    ports = _ports_before(running)
    for link in changed_links:
        if change.is_up is not None:
            for end in link.ends:
                lines = _up_lines(running.lab, end) if change.is_up else (f"link set {end.device} down",)
                _run(running, end, "ip", lines, ignore_errors=change.is_up)
                if end in ports:
                    _set_port(running, end, link, ports[end].bucket.rate if change.is_up else None)
        else:
            for end in link.ends:
                rate = change.rate_of(link)
                _run(running, end, "tc", token_bucket_lines(link, end, rate=rate))
                if end in ports and ports[end].is_up:
                    _set_port(running, end, link, rate)


def _ports_before(running: RunningLab) -> Mapping[End, EndCounters]:
    """The ends of links at switches that route adaptively, whose program has to be told of changes."""
    if running.lab.routing is not Routing.adaptive:
        return {}
    ends: dict[End, EndCounters] = {}
    for one in read_counters(running).links:
        ends |= {one.link.a: one.from_a, one.link.b: one.from_b}
    return {end: counters for end, counters in ends.items() if running.lab.node(end.node).is_switch}


def _up_lines(lab: Lab, end: End) -> tuple[str, ...]:
    """Commands that restore a device with its routes, which the kernel deleted when the device went down."""
    node = next(node for node in plan(lab).nodes if node.name == end.node)
    device_command = f"link set {end.device} "
    return tuple(line for line in node.ip if line.startswith(device_command) or not line.startswith("link set "))


def _run(running: RunningLab, end: End, tool: str, lines: tuple[str, ...], *, ignore_errors: bool = False) -> None:
    """Run `ip` or `tc` commands in a node. `ignore_errors` ignores failures, which are expected for down devices."""
    work = partial(run_iproute, tool, lines, ignore_errors=ignore_errors)
    start_in_network(running.holder(end.node).pid, work, where=end.node).result()


def _set_port(running: RunningLab, end: End, link: Link, rate: Rate | None) -> None:
    """Tell the program of a switch that routes adaptively how fast its port is, or with None that it is down."""
    switch, links = running.lab.node(end.node), ports_of(running.lab, end.node)
    ps = 0 if rate is None else ps_per_byte(rate)
    try:
        set_port_rates(
            switch.number,
            len(links),
            [(links.index(link), ps)],
            root=Path(f"/proc/{running.holder(end.node).pid}/root"),
        )
    except OSError as fault:
        raise LabFault(f"{end.node}: {fault.strerror}") from fault
