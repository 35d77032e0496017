"""A lab as a platform file: the same hosts, links, rates and routes."""

import pytest

from stressbench.formats.lab.errors import LabMistake
from stressbench.labs.catalog import lab_file, shipped
from stressbench.labs.file import parse_lab, read_lab
from stressbench.labs.platform import platform_of
from stressbench.labs.routing import path
from stressbench.labs.subset import with_rails
from stressbench.labs.topology import Lab

TREE = """
[hosts]
count = 4
cores = 2
[[rail]]
rate = "100Mbit"
[topology]
kind = "fat-tree"
hosts_per_leaf = 2
taper = "2:1"
"""

WITH_IO = (
    TREE
    + """
[io]
count = 2
attach = "root0"
rate = "50Mbit"
capacity = "3GB"
stripe = "4MiB"
"""
)


def made(text: str = TREE) -> Lab:
    return parse_lab(text, name="made", source="made.toml")


def lines_of(lab: Lab, kind: str) -> list[list[str]]:
    """The words after `kind` of each such line."""
    return [words[1:] for line in platform_of(lab).splitlines() if (words := line.split())[0] == kind]


def route(lab: Lab, source: str, target: str) -> list[str]:
    """The links that the file's tables give, followed from switch to switch."""
    hosts = [name for name, _ in lines_of(lab, "host")]
    ends = {name: (a, b) for name, a, b, *_ in lines_of(lab, "link")}
    tables = {
        (switch, host): link
        for switch, link, first, last in lines_of(lab, "route")
        for host in hosts[hosts.index(first) : hosts.index(last) + 1]
    }
    node, links = source, []
    while node != target:
        link = next(name for name, ab in ends.items() if node in ab) if node in hosts else tables[node, target]
        links.append(link)
        node = next(end for end in ends[link] if end != node)
    return links


def test_the_file_says_what_it_is() -> None:
    assert platform_of(made()).splitlines()[0] == "stressbench-platform 1"


def test_hosts_have_their_names_and_cores() -> None:
    assert lines_of(made(), "host") == [[f"h{number}", "2"] for number in range(4)]


def test_links_carry_their_rate_each_way_in_bytes() -> None:
    assert {tuple(words[:4]) for words in lines_of(made(), "link")} == {
        *((f"h{host}-leaf{host // 2}", f"h{host}", f"leaf{host // 2}", "12500000") for host in range(4)),
        ("leaf0-root0", "leaf0", "root0", "12500000"), ("leaf1-root0", "leaf1", "root0", "12500000"),
    }  # fmt: skip


def test_a_delay_is_added_to_what_crossing_a_link_takes() -> None:
    slow = made(TREE.replace('rate = "100Mbit"', 'rate = "100Mbit"\ndelay = "1ms"'))
    latencies_ns = {words[0]: words[-1] for words in lines_of(slow, "link")}

    assert latencies_ns["h0-leaf0"] == "1010000"
    assert latencies_ns["leaf0-root0"] == "10000"


def test_a_switch_has_a_line_for_each_range_of_hosts() -> None:
    assert lines_of(made(), "route") == [
        ["leaf0", "h0-leaf0", "h0", "h0"], ["leaf0", "h1-leaf0", "h1", "h1"], ["leaf0", "leaf0-root0", "h2", "h3"],
        ["leaf1", "leaf1-root0", "h0", "h1"], ["leaf1", "h2-leaf1", "h2", "h2"], ["leaf1", "h3-leaf1", "h3", "h3"],
        ["root0", "leaf0-root0", "h0", "h1"], ["root0", "leaf1-root0", "h2", "h3"],
    ]  # fmt: skip


@pytest.mark.parametrize("name", shipped())
def test_routes_are_those_that_frames_take_on_the_lab(name: str) -> None:
    lab = with_rails(read_lab(lab_file(name)), 1)

    for source in lab.stations:
        for target in lab.stations:
            expected = [link.name for link in path(lab, source.name, target.name)]
            assert route(lab, source.name, target.name) == expected


def test_a_file_grows_with_hosts_instead_of_their_pairs() -> None:
    few, many = (
        len(platform_of(made(TREE.replace("count = 4", f"count = {count}"))).splitlines()) for count in (16, 32)
    )

    assert many < 2.2 * few


def test_a_lab_with_the_first_of_its_rails_lacks_the_links_and_switches_of_the_other() -> None:
    lab = with_rails(read_lab(lab_file("dual-rail")), 1)

    assert [node.name for node in lab.nodes] == ["h0", "h1", "h2", "h3", "s0"]
    assert [link.name for link in lab.links] == ["h0-s0", "h1-s0", "h2-s0", "h3-s0"]
    assert lab.rails == 1


def test_io_nodes_say_what_the_engine_has_to_know() -> None:
    properties = lines_of(made(WITH_IO), "property")

    assert {name: value for host, name, value in properties if host == "io1"} == {
        "io-number": "1", "io-capacity": "3000000000", "io-stripe": "4194304",
        "io-link": "io1-root0", "io-peer": "root0", "io-rate": "50000000",
    }  # fmt: skip
    assert {host for host, *_ in properties} == {"io0", "io1"}


def test_disks_have_rates_of_their_payload() -> None:
    """SimGrid takes 1448 of 1514 bytes of a bandwidth."""
    disks = lines_of(made(WITH_IO + 'disk_write = "100MB/s"\ndisk_read = "200MB/s"\n'), "disk")

    assert [words[:2] for words in disks] == [[f"io{node}", way] for node in range(2) for way in ("write", "read")]
    assert [float(words[2]) * 1448 / 1514 for words in disks[:2]] == pytest.approx([1e8, 2e8])


def test_io_nodes_without_disk_rates_have_no_disks() -> None:
    assert lines_of(made(WITH_IO), "disk") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TREE + '[[rail]]\nrate = "100Mbit"\n', "made has 2 rails: a simulated host has one"),
        (TREE + '[[noise]]\nfrom = "h0"\nto = "h1"\nrate = "1Mbit"\n', "made has \\[\\[noise\\]\\]"),
    ],
)
def test_what_simgrid_lacks_is_refused(text: str, message: str) -> None:
    with pytest.raises(LabMistake, match=message):
        platform_of(made(text))
