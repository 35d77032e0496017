"""Models of a topology file in TOML, and its parser. Pure."""

from collections.abc import Iterator
from itertools import product
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, WithJsonSchema

from stressbench.formats.lab.fields import RateText
from stressbench.formats.toml import (
    Complaint,
    Table,
    ValidationMistakes,
    complaints_of,
    mistakes_as,
    parse_toml,
)
from stressbench.formats.topology.errors import TopologyMistake
from stressbench.formats.topology.host_lists import expand_names
from stressbench.formats.topology.network import MAX_HOSTS, MAX_LINKS, Network, NetworkLink, groups_of

_MOST_PARALLEL = 1024


def _expanded(value: object) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError("expected names such as 'n[0-15]', or a list of them")
    return tuple(name for text in texts for name in expand_names(text))


def _node(name: str) -> str:
    if not name or any(letter in name for letter in ",[] \t"):
        raise ValueError("expected one name without blanks, commas and brackets")
    return name


NodeName = Annotated[str, Field(strict=True, max_length=256), AfterValidator(_node)]
NodeNames = Annotated[
    tuple[str, ...],
    BeforeValidator(_expanded),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


class SwitchTable(Table):
    """A switch and the hosts that are attached to it."""

    name: NodeName
    hosts: Annotated[NodeNames, Field(description="Hosts in Slurm's notation, such as n[0-15]; or a list.")] = ()
    rate: Annotated[RateText | None, Field(description="Rate of the link of each host; default: unknown.")] = None
    group: Annotated[NodeName | None, Field(description="The group of a dragonfly that the switch belongs to.")] = None


class TopologyLinkTable(Table):
    """Links between switches: each of the first entry with each of the second, except with itself."""

    between: Annotated[
        tuple[NodeNames, NodeNames], Field(description="Two switches, or lists of them such as leaf[0-3].")
    ]
    rate: Annotated[RateText | None, Field(description="Rate of one link; default: unknown.")] = None
    count: Annotated[int, Field(strict=True, ge=1, le=_MOST_PARALLEL, description="Parallel links.")] = 1


class TopologyTable(Table):
    """A whole topology file."""

    switch: Annotated[tuple[SwitchTable, ...], Field(min_length=1)]
    link: tuple[TopologyLinkTable, ...] = ()


def parse_topology_toml(text: str, *, name: str, source: str) -> Network:
    """The network that `text` describes. Raises TopologyMistake with `source` and line of every mistake."""
    with mistakes_as(TopologyMistake, text=text, source=source):
        tables = parse_toml(text, source=source)
        try:
            table = TopologyTable.model_validate(tables)
        except ValidationError as fault:
            raise ValidationMistakes(complaints_of(fault, TopologyTable)) from fault
        return _network(table, name=name)


def _network(table: TopologyTable, *, name: str) -> Network:
    if complaints := [*_complaints_about_switches(table), *_complaints_about_links(table)]:
        raise ValidationMistakes(complaints)
    switches = tuple(switch.name for switch in table.switch)
    groups = {switch.name: switch.group for switch in table.switch if switch.group is not None}
    return Network(
        name=name, hosts=tuple(dict.fromkeys(host for switch in table.switch for host in switch.hosts)),
        switches=switches, links=tuple(_links(table)), groups=groups or groups_of(switches),
    )  # fmt: skip


def _links(table: TopologyTable) -> Iterator[NetworkLink]:
    for switch in table.switch:
        rate = None if switch.rate is None else switch.rate.bits_per_s
        yield from (NetworkLink(a=host, b=switch.name, rate_bits_per_s=rate) for host in switch.hosts)
    for link in table.link:
        rate = None if link.rate is None else link.rate.bits_per_s
        seen: set[frozenset[str]] = set()
        for a, b in product(*link.between):
            if a != b and frozenset((a, b)) not in seen:
                seen.add(frozenset((a, b)))
                yield NetworkLink(a=a, b=b, rate_bits_per_s=rate, count=link.count)


def _complaints_about_switches(table: TopologyTable) -> Iterator[Complaint]:
    names = [switch.name for switch in table.switch]
    for number, switch in enumerate(table.switch):
        place = ("switch", number)
        if switch.name in names[:number]:
            yield Complaint(place=(*place, "name"), text=f"switch.name: '{switch.name}': expected each name once")
        for host in dict.fromkeys(switch.hosts):
            if host in names:
                yield Complaint(place=(*place, "hosts"), text=f"switch.hosts: '{host}': is a switch; expected hosts")
    hosts = {host for switch in table.switch for host in switch.hosts}
    if not hosts:
        yield Complaint(place=("switch",), text="no switch has hosts; expected hosts = 'n[0-15]' in a [[switch]]")
    if len(hosts) > MAX_HOSTS:
        yield Complaint(place=("switch",), text=f"{len(hosts):,} hosts: expected at most {MAX_HOSTS:,}")


def _complaints_about_links(table: TopologyTable) -> Iterator[Complaint]:
    names, total = {switch.name for switch in table.switch}, 0
    for number, link in enumerate(table.link):
        place = ("link", number, "between")
        unknown = [name for name in (*link.between[0], *link.between[1]) if name not in names]
        if unknown:
            text = f"link.between: '{unknown[0]}': expected the name of a [[switch]]"
            yield Complaint(place=place, text=text)
        elif set(link.between[0]) == set(link.between[1]) and len(set(link.between[0])) < 2:
            yield Complaint(place=place, text="link.between: expected two different switches")
        total += len(link.between[0]) * len(link.between[1])
        if total > MAX_LINKS:
            yield Complaint(place=place, text=f"link.between: expected at most {MAX_LINKS:,} links in the file")
            return
