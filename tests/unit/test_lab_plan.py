"""What is said to the kernel to make a lab: every line, without saying it."""

import json

import pytest

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.units import Rate
from stressbench.labs.catalog import lab_file, shipped
from stressbench.labs.file import parse_lab, read_lab
from stressbench.labs.link_control import LinkChange, parse_change, select_links
from stressbench.labs.mpi import hosts_text
from stressbench.labs.pinning import cores_of_hosts, cores_of_part
from stressbench.labs.plan import NodePlan, Plan, plan, veth_line
from stressbench.labs.plan_json import plan_from_json, plan_to_json
from stressbench.labs.shaping import FRAME_BYTES, burst_of, token_bucket_lines
from stressbench.labs.topology import Lab
from stressbench.labs.variables import environment

TINY = read_lab(lab_file("tiny"))
RING = """
[hosts]
count = 3
[[rail]]
rate = "100Mbit"
[topology]
kind = "ring"
rate = "1Gbit"
"""


def node(made: Plan, name: str) -> NodePlan:
    return next(one for one in made.nodes if one.name == name)


def ring() -> Lab:
    return parse_lab(RING, name="ring", source="ring.toml")


def test_a_cable_is_born_between_two_nodes_and_never_on_the_machine() -> None:
    line = veth_line(plan(TINY).veth_pairs[1], {"h1": 42, "s0": 43})

    assert line == (
        "link add name eth0 address 02:5b:00:00:01:00 numtxqueues 1 numrxqueues 1 netns 42 "
        "type veth peer name h1 address 02:5b:00:00:01:01 numtxqueues 1 numrxqueues 1 netns 43"
    )


def test_a_host_has_an_address_and_one_way_out() -> None:
    assert node(plan(TINY), "h2").ip == (
        "link set lo up",
        "addr replace 10.10.0.3/16 dev eth0 noprefixroute",
        "link set eth0 up",
        "route replace 10.10.0.0/16 dev eth0 scope link src 10.10.0.3 quickack 1 initcwnd 64",
    )


def test_a_bridge_takes_all_its_ports() -> None:
    made = node(plan(TINY), "s0")

    assert made.ip_first[0].startswith("link add br0 type bridge stp_state 0")
    assert [line for line in made.ip if "master" in line] == [f"link set h{n} master br0 up" for n in range(4)]


def test_both_ends_of_a_link_send_at_its_rate() -> None:
    made = plan(TINY)

    ends = [line for name in ("h0", "s0") for line in node(made, name).tc if " dev eth0 " in line or " dev h0 " in line]
    assert [line.split()[3] for line in ends] == ["eth0", "h0"]
    assert all("tbf rate 100000000bit burst 3028 " in line for line in ends)


def test_a_switch_that_routes_knows_every_node_and_asks_nobody() -> None:
    made = node(plan(ring()), "s0")

    assert "neigh replace 10.10.0.1 lladdr 02:5b:00:00:00:00 dev h0 nud permanent" in made.ip
    assert "route replace 10.10.0.1/32 scope link dev h0 src 10.10.200.1" in made.ip
    assert "route replace 10.10.0.2/32 via 10.10.200.2 dev s1 onlink src 10.10.200.1" in made.ip
    assert sum(line.startswith("route") for line in made.ip) == 3 + 2
    assert any(setting.file == "net/ipv4/ip_forward" and setting.value == "1" for setting in made.settings)


def test_no_node_has_a_way_out_of_the_lab() -> None:
    for name in shipped():
        for one in plan(read_lab(lab_file(name))).nodes:
            routes = [line for line in one.ip if line.startswith("route")]
            assert all(line.split()[2].startswith("10.1") for line in routes)


def test_addresses_names_and_nics_are_unique() -> None:
    for name in shipped():
        lab = read_lab(lab_file(name))
        addresses = [line.split()[0] for line in hosts_text(lab).splitlines()]
        ends = [(end.node, end.device) for link in lab.links for end in link.ends]
        macs = [end.mac for link in lab.links for end in link.ends]
        assert len(set(addresses)) == len(addresses)
        assert len(set(ends)) == len(ends)
        assert len(set(macs)) == len(macs)
        assert all(len(device) <= 15 for _, device in ends)


def test_a_plan_reaches_the_keeper_as_it_is() -> None:
    for name in shipped():
        made = plan(read_lab(lab_file(name)))
        assert plan_from_json(json.loads(json.dumps(plan_to_json(made)))) == made


@pytest.mark.parametrize(("rate", "burst"), [("1Mbit", 2 * FRAME_BYTES), ("200Mbit", 5000), ("10Gbit", 250_000)])
def test_what_passes_at_once_is_two_frames_or_a_fifth_of_a_millisecond(rate: str, burst: int) -> None:
    lab = parse_lab(RING.replace("100Mbit", rate), name="r", source="r.toml")

    assert burst_of(lab.links[0].rate).count == burst


def test_a_delay_stands_before_the_bucket() -> None:
    text = RING.replace('"100Mbit"', '"100Mbit"\ndelay = "10us"')
    link = parse_lab(text, name="r", source="r.toml").links[0]

    first, second = token_bucket_lines(link, link.a)

    assert first == "qdisc replace dev eth0 root handle 1: netem delay 10us limit 10000"
    assert second.startswith("qdisc replace dev eth0 parent 1:1 handle 10: tbf rate 100000000bit ")


def test_a_switch_with_fair_arbitration_has_a_queue_for_each_host_in_its_token_buckets() -> None:
    lab = parse_lab('arbitration = "fair"\nqueue = "64KiB"\n' + RING, name="r", source="r.toml")
    made = plan(lab)

    lines = [line for line in node(made, "s0").tc if " dev h0 " in line]
    assert lines[0].startswith("qdisc replace dev h0 root handle 10: tbf ")
    assert lines[1] == "qdisc add dev h0 parent 10:1 handle 20: htb default ffff"
    assert [line for line in lines if line.startswith("filter")] == [
        f"filter add dev h0 parent 20: protocol ip prio 1 u32 match ip src 10.10.0.{host}/32 flowid 20:{host}"
        for host in (1, 2, 3)
    ]
    classes = ["20:1", "20:2", "20:3", "20:ffff"]
    assert [line.split()[7] for line in lines if line.startswith("class")] == classes
    assert [line.split()[5:] for line in lines if " bfifo " in line] == [
        [turn, "bfifo", "limit", "65536"] for turn in classes
    ]
    assert all("htb" not in line for line in node(made, "h0").tc)


def test_frames_get_their_time_at_a_switch_and_a_mark_where_they_arrive() -> None:
    made = plan(parse_lab('marking = "1ms"\n' + RING, name="r", source="r.toml"))

    def hooks(name: str, device: str) -> list[str]:
        return [line for line in node(made, name).tc if f" dev {device} " in line and " tbf " not in line]

    programs = "bpf direct-action object-pinned /run/lab/programs"
    entering, arrived = (
        f"filter add dev {{device}} {hook} {programs}/{name}"
        for hook, name in (("egress", "entering"), ("ingress", "arrived"))
    )
    assert hooks("h0", "eth0") == ["qdisc add dev eth0 clsact", arrived.format(device="eth0")]  # a host's own queue
    assert hooks("s0", "h0") == ["qdisc add dev h0 clsact", entering.format(device="h0")]
    assert hooks("s0", "s1") == [
        "qdisc add dev s1 clsact", entering.format(device="s1"), arrived.format(device="s1")
    ]  # fmt: skip
    assert made.marking_ns == 1_000_000
    assert plan_from_json(json.loads(json.dumps(plan_to_json(made)))) == made
    ecn = [[one.value for one in each.settings if one.file == "net/ipv4/tcp_ecn"] for each in made.nodes]
    assert ecn == [["1"]] * 3 + [[]] * 3


def test_without_marking_nothing_is_said_of_it() -> None:
    made = plan(ring())

    assert made.marking_ns is None
    assert not any("clsact" in line or "bpf" in line for each in made.nodes for line in each.tc)
    assert not any(one.file == "net/ipv4/tcp_ecn" for each in made.nodes for one in each.settings)


def test_a_new_rate_leaves_the_queues_of_hosts_as_they_are() -> None:
    link = parse_lab('arbitration = "fair"\n' + RING, name="r", source="r.toml").links[0]

    (line,) = token_bucket_lines(link, link.b, rate=Rate(50_000_000))

    assert line.startswith("qdisc replace dev h0 root handle 10: tbf rate 50000000bit ")


@pytest.mark.parametrize(
    ("cores", "available", "assigned"),
    [
        (1, {4, 9}, {"h0": (4,), "h1": (9,), "h2": (9,)}),
        (2, {3, 5, 7}, {"h0": (3, 5), "h1": (3, 7), "h2": (5, 7)}),
        (2, {0, 1, 2, 3}, {"h0": (0, 1), "h1": (2, 3), "h2": (2, 3)}),
        (2, {0, 1}, {"h0": (0, 1), "h1": (0, 1), "h2": (0, 1)}),
        (2, {6}, {"h0": (6,), "h1": (6,), "h2": (6,)}),
    ],
)
def test_hosts_share_cores(cores: int, available: set[int], assigned: dict[str, tuple[int, ...]]) -> None:
    lab = parse_lab(RING.replace("count = 3", f"count = 3\ncores = {cores}"), name="r", source="r.toml")

    assert cores_of_hosts(lab, available) == assigned


@pytest.mark.parametrize("available", [range(2), range(3), range(4)], ids=len)
def test_every_placement_in_steps_or_blocks_uses_all_cores_evenly(available: range) -> None:
    base = len(available)
    count = base**4
    lab = parse_lab(RING.replace("count = 3", f"count = {count}"), name="r", source="r.toml")
    cores = [assigned for (assigned,) in cores_of_hosts(lab, available).values()]

    for size in (base, base**2, base**3):
        steps = [cores[first :: count // size] for first in range(count // size)]
        blocks = [cores[first : first + size] for first in range(0, count, size)]
        for hosts in (*steps, *blocks):
            assert [hosts.count(core) for core in available] == [size // base] * base


def test_pinned_hosts_have_cores_for_themselves() -> None:
    pinned = parse_lab(RING.replace("count = 3", "count = 3\ncores = 2\npinned = true"), name="p", source="p.toml")

    cores = cores_of_hosts(pinned, {9, 1, 2, 3, 4, 5, 6})

    assert cores == {"h0": (1, 2), "h1": (3, 4), "h2": (5, 6)}
    assert [file.text for file in plan(pinned, cores=cores).files if "/cores/" in file.path] == [
        "1,2\n",
        "3,4\n",
        "5,6\n",
    ]


def test_mpi_is_told_the_nics_of_all_rails() -> None:
    reported = dict(environment("dual-rail", rails=read_lab(lab_file("dual-rail")).rails, scratch=None))

    assert reported["OMPI_MCA_btl_tcp_if_include"] == "eth0,eth1"
    assert reported["OMPI_MCA_plm_rsh_agent"] == reported["HYDRA_LAUNCHER_EXEC"] == "/run/lab/agent"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("rate=10Mbit", LinkChange(rate=Rate(10_000_000))),
        ("rate=quarter", LinkChange(share=0.25)),
        ("rate=1/8", LinkChange(share=0.125)),
        ("rate=25%", LinkChange(share=0.25)),
        ("down", LinkChange(is_up=False)),
        ("up", LinkChange(is_up=True)),
    ],
)
def test_changes_of_links(text: str, change: LinkChange) -> None:
    assert parse_change(text) == change


@pytest.mark.parametrize(
    "text", ["rate", "rate=", "rate=0bit", "rate=0/4", "rate=0%", "speed=1Gbit", "rate=fast", "Down"]
)
def test_other_changes_are_refused_with_what_would_be_right(text: str) -> None:
    with pytest.raises(LabMistake, match=r"half|`down`|down or up"):
        parse_change(text)


@pytest.mark.parametrize(
    ("word", "links"),
    [
        ("h1-leaf0", ["h1-leaf0"]),
        ("leaf*", [f"leaf{n}-root0" for n in range(4)]),
        ("io0", ["io0-io-switch"]),
        ("hosts", [f"h{n}-leaf{n // 4}" for n in range(16)]),
    ],
)
def test_links_are_named_one_by_one_or_together(word: str, links: list[str]) -> None:
    assert [link.name for link in select_links(read_lab(lab_file("tinis")), word)] == links


def test_a_link_that_is_not_there_is_told_what_is() -> None:
    with pytest.raises(LabMistake, match="lab tiny: unknown link 'h0-s1'; did you mean 'h0-s0'\\? known: all, hosts, "):
        select_links(TINY, "h0-s1")


@pytest.mark.parametrize(
    ("available", "of", "parts"),
    [
        ((3, 7), 2, [[(3,), (3,)], [(7,), (7,)]]),
        ((0, 1, 2, 3), 2, [[(0,), (0,), (2,), (2,)], [(1,), (1,), (3,), (3,)]]),
        ((0, 1, 2), 2, [[(0,), (0,), (0,)], [(1,), (1,), (1,)]]),  # parts are equal: the last core stays idle
    ],
)
def test_equal_parts_of_cores_share_none(
    available: tuple[int, ...], of: int, parts: list[list[tuple[int, ...]]]
) -> None:  # fmt: skip
    for part, expected in enumerate(parts):
        assert [cores_of_part((core,), part, of=of, available=available) for core in available] == expected
    assert cores_of_part((0, 1, 2, 3), 1, of=2, available=range(4)) == (1, 3)
