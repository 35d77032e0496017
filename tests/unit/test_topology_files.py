"""Topology files of each format: what they describe, and what is refused with its line."""

from pathlib import Path

import pytest

from stressbench.errors import UserError
from stressbench.formats.topology import Network, TopologyMistake
from stressbench.formats.topology.host_lists import expand_names
from stressbench.labs.networks import read_network

CONF = """\
# two leaves and a root
SwitchName=leaf0 Nodes=tux[00-03]
switchname = leaf1 nodes=tux[04-05],\\
    login1 LinkSpeed=900
SwitchName=root Switches=leaf[0-1]
"""
FABRIC = """\
#
# Topology file: generated on Tue Mar  3 10:00:00 2026
#
vendid=0x2c9
devid=0xd2f0
switchguid=0xa1(a1)
Switch\t36 "S-00a1"\t\t# "leaf 0" enhanced port 0 lid 1 lmc 0
[1]\t"H-00b1"[1](b1) \t\t# "n1 mlx5_0" lid 4 4xEDR
[2]\t"H-00b2"[1](b2) \t\t# "n2 mlx5_0" lid 5 4xEDR
[35]\t"S-00a2"[1]\t\t# "spine" lid 2 4xHDR
[36]\t"S-00a2"[2]\t\t# "spine" lid 2 4xHDR

Switch\t36 "S-00a2"\t\t# "spine" enhanced port 0 lid 2 lmc 0
[1]\t"S-00a1"[35]\t\t# "leaf 0" lid 1 4xHDR
[2]\t"S-00a1"[36]\t\t# "leaf 0" lid 1 4xHDR

vendid=0x2c9
caguid=0xb1
Ca\t1 "H-00b1"\t\t# "n1 mlx5_0"
[1](b1) \t"S-00a1"[1]\t\t# lid 4 lmc 0 "leaf 0" lid 1 4xEDR

Ca\t1 "H-00b2"\t\t# "n2 mlx5_0"
[1](b2) \t"S-00a1"[2]\t\t# lid 5 lmc 0 "leaf 0" lid 1 4xEDR
"""
TOML = """\
[[switch]]
name = "g0r0"
hosts = "n[0-1]"
rate = "100Gbit"

[[switch]]
name = "g0r1"
hosts = ["n2", "n3"]

[[switch]]
name = "g1r0"
group = "far"

[[link]]
between = ["g0r[0-1]", "g0r[0-1]"]
rate = "200Gbit"
count = 2

[[link]]
between = ["g0r0", "g1r0"]
"""


def read(folder: Path, text: str, *, name: str) -> Network:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_network(str(path))


def links_of(network: Network) -> set[tuple[str, str, int | None, int]]:
    return {(one.a, one.b, one.rate_bits_per_s, one.count) for one in network.links}


def refusal(folder: Path, text: str, *, name: str) -> str:
    with pytest.raises(UserError) as caught:
        read(folder, text, name=name)
    return str(caught.value).replace(f"{folder}/", "")


def test_slurm_s_tree_with_comments_continued_lines_and_any_case(tmp_path: Path) -> None:
    network = read(tmp_path, CONF, name="topology.conf")

    assert network.name == "topology"
    assert network.hosts == ("tux00", "tux01", "tux02", "tux03", "tux04", "tux05", "login1")
    assert network.switches == ("leaf0", "leaf1", "root")
    assert {("tux05", "leaf1", None, 1), ("leaf0", "root", None, 1), ("leaf1", "root", None, 1)} <= links_of(network)
    assert len(network.links) == 9


def test_what_scontrol_shows_is_the_same_tree(tmp_path: Path) -> None:
    shown = "SwitchName=leaf0 Level=0 LinkSpeed=1 Nodes=n[0-1]\nSwitchName=root Level=1 LinkSpeed=1 Switches=leaf0\n"

    assert links_of(read(tmp_path, shown, name="shown.txt")) == {
        ("n0", "leaf0", None, 1), ("n1", "leaf0", None, 1), ("leaf0", "root", None, 1)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SwitchName=a Nodes=n[0-", "topology.conf:1: 'n[0-': expected a ] after the ["),
        ("SwitchName=a Nodes=n[3-1]", "expected N or N-M with M not below N"),
        ("SwitchName=a Nodes=n0\nSwitchName=a Nodes=n1", "topology.conf:2: 'a': is the switch of line 1"),
        ("SwitchName=a Nodes=n0\nSwitchName=b Nodes=n0", "topology.conf:2: 'n0': is below a in line 1"),
        ("SwitchName=a Nodes=n0\nSwitchName=b Switches=c", "topology.conf:2: 'c': expected a switch that has a line"),
        ("SwitchName=a Nodes=n0 Switches=b\nSwitchName=b Switches=a", "'a': is below itself; expected a tree"),
        ("SwitchName=a", "topology.conf:1: 'SwitchName=a': expected SwitchName=NAME with Nodes=HOSTS"),
        ("SwitchName=a Ports=4", "topology.conf:1: 'Ports=4': expected a key of SwitchName, Switches, Nodes"),
        ("BlockName=b Nodes=n[0-3]", "other plugins than topology/tree describe no links"),
        ("SwitchName=a Nodes=b\nSwitchName=b Nodes=n0", "topology.conf:1: 'b': is a switch in line 2; expected names"),
        ("SwitchName=a Nodes=n[0-99999]", "expected at most 65536 names"),
    ],
)
def test_a_mistake_in_topology_conf_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    assert said in refusal(tmp_path, text, name="topology.conf")


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, "SwitchName=a Nodes=n0 X=1\nSwitchName=b Nodes=n[\n", name="topology.conf").splitlines()

    assert [line.partition(" ")[0] for line in said[:2]] == ["topology.conf:1:", "topology.conf:2:"]


def test_a_fabric_has_each_cable_once_with_its_rate(tmp_path: Path) -> None:
    network = read(tmp_path, FABRIC, name="fabric.txt")

    assert (network.hosts, network.switches) == (("n1", "n2"), ("leaf 0", "spine"))
    assert links_of(network) == {
        ("n1", "leaf 0", 100_000_000_000, 1), ("n2", "leaf 0", 100_000_000_000, 1),
        ("leaf 0", "spine", 200_000_000_000, 2),
    }  # fmt: skip


MANAGED = Path(__file__).resolve().parents[1] / "corpus" / "topology" / "managed.txt"
GBIT = 1_000_000_000


def test_managed_switches_have_their_names_and_adapters_without_a_host_name_their_guids() -> None:
    network = read_network(str(MANAGED))

    assert network.switches == ("S-a10000000000c001", "S-a10000000000c002", "leaf-01", "leaf-02")
    assert network.hosts == ("gpu-01", "H-a10000000000b201", "gpu-02", "H-a10000000000b401")


def test_an_aggregation_node_is_no_host_and_a_port_may_lack_its_speed() -> None:
    links = links_of(read_network(str(MANAGED)))

    assert {link for link in links if "leaf-01" in link} == {
        ("gpu-01", "leaf-01", 200 * GBIT, 2), ("H-a10000000000b201", "leaf-01", 100 * GBIT, 1),
        ("S-a10000000000c001", "leaf-01", 200 * GBIT, 1), ("S-a10000000000c002", "leaf-01", 200 * GBIT, 1),
    }  # fmt: skip
    assert ("gpu-02", "leaf-02", 200 * GBIT, 1) in links
    assert len(links) == 8


def test_a_warning_of_ibnetdiscover_before_its_output_is_no_part_of_the_fabric(tmp_path: Path) -> None:
    text = "ibwarn: [7] mad_rpc: timeout; dport (Lid 4)\n"

    assert read(tmp_path, text + FABRIC, name="fabric.txt") == read(tmp_path, FABRIC, name="fabric.txt")


def test_two_chips_of_a_managed_switch_keep_their_descriptions(tmp_path: Path) -> None:
    text = FABRIC.replace('"leaf 0"', '"MF0;core:CS7520/L1/U1"').replace('"spine"', '"MF0;core:CS7520/S1/U1"')

    assert read(tmp_path, text, name="f").switches == ("MF0;core:CS7520/L1/U1", "MF0;core:CS7520/S1/U1")


def test_a_fabric_of_aggregation_nodes_only_has_no_hosts(tmp_path: Path) -> None:
    text = FABRIC.replace('"n1 mlx5_0"', '"X Aggregation Node"').replace('"n2 mlx5_0"', '"X Aggregation Node"')

    assert "has no hosts; expected the output of ibnetdiscover" in refusal(tmp_path, text, name="fabric.txt")


def test_switches_that_are_described_alike_keep_their_guids(tmp_path: Path) -> None:
    assert read(tmp_path, FABRIC.replace('"spine"', '"leaf 0"'), name="f").switches == ("S-00a1", "S-00a2")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"H-00b2"[1](b2) \t\t#', '"H-00ff"[1](b2) \t\t#', "fabric.txt:9: 'H-00ff': expected a node that this file"),
        ('Ca\t1 "H-00b2"', 'Card 1 "H-00b2"', "fabric.txt:22: 'Card 1 \"H-00b2\""),
        ("S-00a2\"\t\t# \"spine\" enhanced", "S-00a1\"\t\t# \"spine\" enhanced", "is the node of line 7"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_fabric_is_told_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in refusal(tmp_path, FABRIC.replace(old, new), name="fabric.txt")


def test_a_topology_in_toml_links_all_pairs_of_two_lists(tmp_path: Path) -> None:
    network = read(tmp_path, TOML, name="machine.toml")

    assert network.hosts == ("n0", "n1", "n2", "n3")
    assert links_of(network) == {
        ("n0", "g0r0", 100_000_000_000, 1), ("n1", "g0r0", 100_000_000_000, 1), ("n2", "g0r1", None, 1),
        ("n3", "g0r1", None, 1), ("g0r0", "g0r1", 200_000_000_000, 2), ("g0r0", "g1r0", None, 1),
    }  # fmt: skip
    assert dict(network.groups) == {"g1r0": "far"}


def test_routers_named_as_in_labs_form_the_groups_of_a_dragonfly(tmp_path: Path) -> None:
    assert dict(read(tmp_path, TOML.replace('group = "far"\n', ""), name="m.toml").groups) == {
        "g0r0": "g0", "g0r1": "g0", "g1r0": "g1"
    }  # fmt: skip
    assert read_network("isambard").groups["g3r1"] == "g3"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"n[0-1]"', '"n[0-"', "m.toml:3: switch.hosts: 'n[0-': expected a ] after the ["),
        ('"g0r0", "g1r0"', '"g0r0", "g9r9"', "m.toml:20: link.between: 'g9r9': expected the name of a [[switch]]"),
        ('"g0r0", "g1r0"', '"g0r0", "g0r0"', "m.toml:20: link.between: expected two different switches"),
        ('name = "g0r1"', 'name = "g0r0"', "m.toml:7: switch.name: 'g0r0': expected each name once"),
        ('"n2", "n3"', '"n2", "g1r0"', "m.toml:8: switch.hosts: 'g1r0': is a switch; expected hosts"),
        ('"100Gbit"', '"100 GB"', "m.toml:4: switch.rate: '100 GB': expected a rate in bits per second"),
        ("count = 2", "count = 0", "m.toml:17: link.count: 0: expected at least 1"),
        ("count = 2", "cables = 2", "m.toml:17: unknown key 'cables'"),
    ],
)
def test_a_mistake_in_toml_is_told_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert said in refusal(tmp_path, TOML.replace(old, new), name="m.toml")


def test_a_lab_file_is_told_from_a_topology_file_and_a_lab_has_its_name(tmp_path: Path) -> None:
    text = '[hosts]\ncount = 2\n[[rail]]\nrate = "1Gbit"\n[topology]\nkind = "single"\n'

    assert links_of(read(tmp_path, text, name="mine.toml")) == {
        ("h0", "s0", 1_000_000_000, 1), ("h1", "s0", 1_000_000_000, 1)
    }  # fmt: skip
    assert read_network("tinis").storage == ("io0", "io1")


@pytest.mark.parametrize("text", ["", "# nothing\n", "<html>\n", "nodes: n0\n"])
def test_a_file_of_no_format_is_refused_with_those_that_are_read(tmp_path: Path, text: str) -> None:
    said = refusal(tmp_path, text, name="what.txt")

    assert said.startswith("what.txt:")
    assert (
        "expected SwitchName=... (Slurm's topology.conf), the output of ibnetdiscover, or a file named *.toml" in said
    )


def test_a_file_that_is_not_there_is_told_with_the_labs_that_are_shipped() -> None:
    with pytest.raises(TopologyMistake, match=r"nowhere: no such file or directory; shipped labs: cab, .*tinis"):
        read_network("nowhere")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ("a",)),
        ("n[8-10],x", ("n8", "n9", "n10", "x")),
        ("n[08-10]", ("n08", "n09", "n10")),
        ("r[0-1]n[0-1]-ib", ("r0n0-ib", "r0n1-ib", "r1n0-ib", "r1n1-ib")),
    ],
)
def test_lists_of_hosts_are_expanded_in_their_order(text: str, names: tuple[str, ...]) -> None:
    assert expand_names(text) == names


@pytest.mark.parametrize(
    "text", ["", "a,,b", "a[", "a]", "a[b]", "a[[1]]", "a[]", "[0-9999999999]", "a[0-300]b[0-300]"]
)
def test_other_lists_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        expand_names(text)
