"""A lab as SimGrid's XML: the same hosts, links, rates and routes."""

from xml.etree.ElementTree import Element, fromstring

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


def zone_of(lab: Lab) -> Element:
    zone = fromstring(platform_of(lab)).find("zone")
    assert zone is not None
    return zone


def test_hosts_have_their_names_and_cores() -> None:
    hosts = zone_of(made()).findall("host")

    assert [(host.get("id"), host.get("core")) for host in hosts] == [(f"h{number}", "2") for number in range(4)]


def test_links_carry_their_rate_each_way_in_bytes() -> None:
    links = {str(link.get("id")): link for link in zone_of(made()).findall("link")}

    assert {name: link.get("bandwidth") for name, link in links.items()} == {
        **{f"h{host}-leaf{host // 2}": "12500000Bps" for host in range(4)},
        "leaf0-root0": "12500000Bps", "leaf1-root0": "12500000Bps",
    }  # fmt: skip
    assert {link.get("sharing_policy") for link in links.values()} == {"SPLITDUPLEX"}


def test_a_delay_is_added_to_what_crossing_a_link_takes() -> None:
    slow = made(TREE.replace('rate = "100Mbit"', 'rate = "100Mbit"\ndelay = "1ms"'))
    latencies = {str(link.get("id")): link.get("latency") for link in zone_of(slow).findall("link")}

    assert latencies["h0-leaf0"] == "1010000ns"
    assert latencies["leaf0-root0"] == "10000ns"


def test_a_route_leaves_by_one_direction_and_comes_back_by_the_other() -> None:
    ways = {
        (str(route.get("src")), str(route.get("dst"))): [(way.get("id"), way.get("direction")) for way in route]
        for route in zone_of(made()).findall("route")
    }

    assert len(ways) == 4 * 3
    assert ways["h0", "h2"] == [
        ("h0-leaf0", "UP"), ("leaf0-root0", "UP"), ("leaf1-root0", "DOWN"), ("h2-leaf1", "DOWN")
    ]  # fmt: skip
    assert ways["h2", "h0"] == [
        ("h2-leaf1", "UP"), ("leaf1-root0", "UP"), ("leaf0-root0", "DOWN"), ("h0-leaf0", "DOWN")
    ]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in shipped() if read_lab(lab_file(name)).rails == 1])
def test_routes_are_those_that_frames_take_on_the_lab(name: str) -> None:
    lab = read_lab(lab_file(name))

    for route in zone_of(lab).findall("route"):
        source, target = str(route.get("src")), str(route.get("dst"))
        assert [way.get("id") for way in route] == [link.name for link in path(lab, source, target)]


def test_a_lab_with_the_first_of_its_rails_lacks_the_links_and_switches_of_the_other() -> None:
    lab = with_rails(read_lab(lab_file("dual-rail")), 1)

    assert [node.name for node in lab.nodes] == ["h0", "h1", "h2", "h3", "s0"]
    assert [link.name for link in lab.links] == ["h0-s0", "h1-s0", "h2-s0", "h3-s0"]
    assert lab.rails == 1


def test_io_nodes_say_what_the_engine_has_to_know() -> None:
    hosts = {str(host.get("id")): host for host in zone_of(made(WITH_IO)).findall("host")}

    assert {prop.get("id"): prop.get("value") for prop in hosts["io1"].findall("prop")} == {
        "io-number": "1", "io-capacity": "3000000000", "io-stripe": "4194304",
        "io-link": "io1-root0", "io-peer": "root0", "io-rate": "50000000",
    }  # fmt: skip
    assert hosts["h0"].findall("prop") == []


def test_a_disk_is_on_the_way_to_its_node_for_writes_and_from_it_for_reads() -> None:
    """Its bandwidth is that of the payload, of which SimGrid takes 1448 of 1514 bytes."""
    zone = zone_of(made(WITH_IO + 'disk_write = "100MB/s"\ndisk_read = "200MB/s"\n'))
    disks = {link.get("id"): link for link in zone.findall("link") if "disk" in str(link.get("id"))}
    ways = {
        (str(route.get("src")), str(route.get("dst"))): [way.get("id") for way in route]
        for route in zone.findall("route")
    }

    assert sorted(map(str, disks)) == ["io0-disk-read", "io0-disk-write", "io1-disk-read", "io1-disk-write"]
    assert float(str(disks["io0-disk-write"].get("bandwidth")).removesuffix("Bps")) == pytest.approx(1e8 * 1514 / 1448)
    assert ways["h0", "io1"] == ["h0-leaf0", "leaf0-root0", "io1-root0", "io1-disk-write"]
    assert ways["io1", "h0"] == ["io1-disk-read", "io1-root0", "leaf0-root0", "h0-leaf0"]
    assert not any("disk" in str(way) for way in ways["h0", "h2"])


def test_io_nodes_without_disk_rates_have_no_disks() -> None:
    assert not any("disk" in str(link.get("id")) for link in zone_of(made(WITH_IO)).findall("link"))


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
