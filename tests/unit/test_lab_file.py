"""A lab file's mistakes: one clear message each, with its line. And what right files become."""

import pytest

from stressbench.formats.lab.errors import LabFileMistake, LabMistake
from stressbench.formats.lab.forwarding import Forwarding
from stressbench.formats.units import Rate
from stressbench.labs import startup
from stressbench.labs.catalog import lab_file, shipped
from stressbench.labs.errors import LabFault
from stressbench.labs.file import parse_lab, read_lab
from stressbench.labs.startup import cores_complaint, start_lab
from stressbench.labs.status import Capability
from stressbench.labs.topology import Lab, NodeKind

TINY = """\
[hosts]
count = 4

[[rail]]
rate = "100Mbit"

[topology]
kind = "single"
"""
RING = """\
[hosts]
count = 3
[topology]
kind = "links"
switches = ["a", "b", "c"]
[[link]]
between = ["h0", "a"]
rate = "1Gbit"
[[link]]
between = ["h1", "b"]
rate = "1Gbit"
[[link]]
between = ["h2", "c"]
rate = "1Gbit"
[[link]]
between = ["a", "b"]
rate = "1Gbit"
[[link]]
between = ["b", "c"]
rate = "1Gbit"
[[link]]
between = ["c", "a"]
rate = "1Gbit"
"""


def parsed(text: str) -> Lab:
    return parse_lab(text, name="mine", source="mine.toml")


def mistakes(text: str) -> tuple[str, ...]:
    with pytest.raises(LabFileMistake) as caught:
        parsed(text)
    return caught.value.messages


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("count = 4", "cuont = 4\ncount = 4", "2: unknown key 'cuont'; did you mean 'count'? known: count, name, "),
        ("count = 4", "", "1: [hosts] count is missing"),
        ("count = 4", "count = 0", "2: hosts.count: 0: expected at least 1"),
        ("count = 4", "count = 4.5", "2: hosts.count: 4.5: expected a whole number"),
        ("count = 4", 'count = "4"', "2: hosts.count: '4': expected a whole number"),
        ("count = 4", 'count = 4\nname = "H"', "3: hosts.name: 'H': expected lower-case letters"),
        ('"100Mbit"', '"0Mbit"', "5: rail.rate: '0Mbit': a link of rate 0 would carry nothing; expected more than 0"),
        ('"100Mbit"', '"fast"', "5: rail.rate: 'fast': expected a rate in bits per second, such as 100Mbit"),
        ('"100Mbit"', '"100Mbit"\ndelay = 3', "6: rail.delay: 3: expected a time, such as 10us"),
        ('kind = "single"', 'kind = "sngle"', "8: unknown kind 'sngle'; did you mean 'single'? known: dragonfly, "),
        ('kind = "single"', "", "7: [topology] kind is missing; known: dragonfly, fat-tree, links, ring, "),
        ('kind = "single"', 'kind = "single"\ntaper = "2:1"', "9: unknown key 'taper'; known: kind, forwarding"),
        ('"single"', '"fat-tree"\nhosts_per_leaf = 3', "9: topology.hosts_per_leaf: 3 does not divide 4 hosts"),
        ('"single"', '"fat-tree"\nhosts_per_leaf = 2\ntaper = "2"', "10: topology.taper: '2': expected k:1, such as "),
        ('"single"', '"fat-tree"\nhosts_per_leaf = 2\ntaper = "0:1"', "10: topology.taper: '0:1': expected k:1"),
        ('"single"', f'"fat-tree"\nhosts_per_leaf = 2\ntaper = "0.{"0" * 320}1:1"', "10: topology.taper: '0.000"),
        ('"single"', f'"fat-tree"\nhosts_per_leaf = 2\ntaper = "{"9" * 400}:1"', "10: topology.taper: '999"),
        ('"single"', '"ring"\nrate = "1Gbit"\nhosts_per_switch = 2', "10: topology.hosts_per_switch: 2 leaves 2 "),
        ('"single"', '"torus"\ncolumns = 3\nrows = 2\nrate = "1Gbit"', "9: topology.columns: 3 columns x 2 rows x 1 "),
        ('"single"', '"ring"\nrate = "1Gbit"\nforwarding = "bridge"', "10: cycle without routing: "),
        ("[topology]", '[[host]]\nname = "h7"\n[topology]', "8: 'h7' is not a host; they are h0 to h3"),
        ("[topology]", '[[host]]\nname = "h1"\n[[host]]\nname = "h1"\n[topology]', "10: 'h1' has more than one "),
        ("[topology]", '[[host]]\nname = "h1"\nrates = ["1Gbit", "1Gbit"]\n[topology]', "9: host.rates: 2 rates, but "),
        ("[topology]", '[[noise]]\nfrom = "h0"\nto = "h9"\nrate = "1Mbit"\n[topology]', "9: noise.to: 'h9' is not a "),
        ("[topology]", '[io]\ncount = 1\nattach = "s1"\nrate = "1Gbit"\n[topology]', "9: io.attach: unknown switch "),
        ("[topology]", '[io]\ncount = 1\nattach = []\nrate = "1Gbit"\n[topology]',
         "9: io.attach: []: expected a switch, or"),
        ("[topology]", '[io]\ncount = 2\nattach = ["s0", "s2"]\nrate = "1Gbit"\n[topology]', "9: io.attach: unknown "),
        ("[topology]", '[io]\ncount = 2\nattach = ["s0", "s0"]\nuplink = "1Gbit"\nrate = "1Gbit"\n[topology]',
         "9: io.attach: expected one switch beside io.uplink"),
        ("[topology]", '[io]\ncount = 1\nname = "h"\nattach = "s0"\nrate = "1Gbit"\n[topology]', "duplicate name 'h0'"),
        ("[[rail]]", '[[link]]\nbetween = ["h0", "s0"]\nrate = "1Gbit"\n[[rail]]', '4: [[link]]: kind = "single" '),
        ('[[rail]]\nrate = "100Mbit"', "", "1: [[rail]] is missing: it states the rate of a host's NIC"),
        ('kind = "single"', 'kind = "single"\nkind = "ring"', "not TOML: Cannot overwrite a value (at line 9, "),
    ],
)  # fmt: skip
def test_a_mistake_gives_one_message_with_its_line(old: str, new: str, message: str) -> None:
    (said,) = mistakes(TINY.replace(old, new, 1))

    assert said.startswith("mine.toml:")
    assert message in said


def test_several_mistakes_are_told_at_once_in_the_order_of_lines() -> None:
    said = mistakes(
        TINY.replace("count = 4", "count = 0").replace("100Mbit", "0bit").replace("[hosts]", "[hosts]\nx = 1")
    )

    assert [line.split(":")[1] for line in said] == ["2", "3", "6"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('["h1", "b"]', '["h9", "b"]', "10: link.between: 'h9' is neither a host nor a switch of this lab"),
        ('["h1", "b"]', '["h0", "b"]', "'h0' has two links on eth0; a second NIC is h0:eth1"),
        ('["h1", "b"]', '["h1", "h0"]', "10: link.between: 'h1' and 'h0' are hosts; a switch must stand between"),
        ('["h1", "b"]', '["h1:0", "b"]', "10: link.between: 'h1:0': expected a NIC such as h1:eth0"),
        ('["h1", "b"]', '["h1:eth8", "b"]', "10: link.between: 'h1:eth8': expected at most 8 NICs, eth0 to eth7"),
        ('["h1", "b"]', '["h1:eth1", "b"]', "'b' connects eth0 of some hosts and eth1 of 'h1'"),
        ('["b", "c"]', '["b", "b"]', "19: link.between: 'b' is connected to itself"),
        ('"c"]', '"c", "h0"]', "3: duplicate name 'h0': hosts, I/O nodes and switches share names"),
        (
            "[topology]",
            '[[rail]]\nrate = "1Gbit"\n[topology]',
            '3: [[rail]]: with kind = "links" every [[link]] states its',
        ),
    ],
)
def test_links_one_by_one_are_checked_too(old: str, new: str, message: str) -> None:
    assert message in mistakes(RING.replace(old, new, 1))[0]


def test_links_and_switches_one_by_one_are_limited_in_number() -> None:
    switches = ", ".join(f'"s{number}"' for number in range(1201))

    assert mistakes(RING + '[[link]]\nbetween = ["h0", "a"]\nrate = "1Gbit"\n' * 1195) == (
        "mine.toml:3: topology: 1201 links: expected at most 1200",
    )
    assert mistakes(RING.replace('"a", "b", "c"', switches)) == (
        "mine.toml:5: topology.switches: 1201 switches: expected at most 1200",
    )


def test_background_traffic_is_limited_in_number() -> None:
    flow = '[[noise]]\nfrom = "h0"\nto = "h1"\nrate = "1Mbit"\n'

    assert len(parsed(TINY + flow * 64).noise) == 64
    assert mistakes(TINY + flow * 65) == ("mine.toml:265: [[noise]]: expected at most 64",)


def test_a_cycle_needs_routing() -> None:
    (said,) = mistakes(RING)

    assert "cycle without routing: b-c, a-b, c-a; bridges would forward frames in it for ever" in said
    assert (
        parsed(RING.replace('["a", "b", "c"]', '["a", "b", "c"]\nforwarding = "route"')).forwarding is Forwarding.route
    )


def test_a_part_that_nothing_leads_to_is_a_mistake() -> None:
    lonely = RING[: RING.index('[[link]]\nbetween = ["b", "c"]')]

    assert "no path from h0 to h2 on eth0: a link is missing" in mistakes(lonely)[0]


@pytest.mark.parametrize(
    ("hosts", "said"),
    [
        ("count = 4\ncores = 3", "hosts.cores: h0 has 3 cores, but this machine has 2: expected at most 2"),
        ("count = 4\npinned = true", "hosts.pinned: 4 hosts with 4 cores in all do not fit on 2"),
        ("count = 2\npinned = true", None),
        ("count = 4\ncores = 2", None),
    ],
)
def test_cores_must_fit_the_machine(hosts: str, said: str | None) -> None:
    complaint = cores_complaint(parsed(TINY.replace("count = 4", hosts)), available_cores=2)

    assert complaint is None if said is None else str(complaint).startswith(said)


def unavailable(name: str) -> Capability:
    return Capability(name=name, there=False, needed=True, why="links", remedy="modprobe it")


@pytest.mark.parametrize(
    ("text", "test", "name", "complaint"),
    [
        (
            TINY.replace('rate = "100Mbit"', 'rate = "100Mbit"\ndelay = "1ms"'), "netem", "netem",
            r"made.toml:6: delay: this kernel has no netem: modprobe it",
        ),
        (
            'about = "x"\narbitration = "fair"\n' + TINY, "turns", "htb",
            r'made.toml:2: arbitration: "fair": this kernel has no htb: modprobe it',
        ),
        ('marking = "1ms"\n' + TINY, "marks", "eBPF", r"made.toml:1: marking: eBPF is missing: modprobe it"),
    ],
)  # fmt: skip
def test_what_the_kernel_lacks_for_a_key_is_refused_with_its_line(
    tmp_path, monkeypatch, text: str, test: str, name: str, complaint: str
) -> None:
    file = tmp_path / "made.toml"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(startup, "missing", lambda: ())
    monkeypatch.setattr(startup, test, lambda: unavailable(name))

    with pytest.raises(LabFileMistake, match=complaint):
        start_lab(file, name="made")


def test_a_lab_has_no_disks(tmp_path) -> None:
    file = tmp_path / "made.toml"
    file.write_text(TINY + '[io]\ncount = 1\nattach = "s0"\nrate = "1Gbit"\ndisk_read = "1GB/s"\n', encoding="utf-8")

    with pytest.raises(LabFileMistake, match=r"made.toml:\d+: io.disk_read: .* only simulations have disks"):
        start_lab(file, name="made")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('marking = "1 mile"\n' + TINY, r"t.toml:1: marking: '1 mile'"),
        ('marking = "0ms"\n' + TINY, r"t.toml:1: marking: '0ms': a limit of 0 would mark every frame"),
        ('arbitration = "wfq"\n' + TINY, r"t.toml:1: arbitration: 'wfq'.*'fifo' or 'fair'"),
        (
            'arbitration = "fair"\n' + TINY.replace("count = 4", "count = 251"),
            r't.toml:1: arbitration: "fair": 251 hosts and I/O nodes: expected at most 250 that switches serve',
        ),
    ],
)
def test_an_arbitration_that_cannot_be_is_refused_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(LabFileMistake, match=complaint):
        parse_lab(text, name="t", source="t.toml")


def test_what_the_machine_lacks_is_told_line_by_line_with_remedies(tmp_path, monkeypatch) -> None:
    file = tmp_path / "t.toml"
    file.write_text(TINY, encoding="utf-8")
    monkeypatch.setattr(startup, "missing", lambda: (unavailable("veth"), unavailable("tbf")))

    with pytest.raises(LabFault, match=r"veth missing \(links\): modprobe it\ntbf missing \(links\): modprobe it"):
        start_lab(file, name="t")


def test_a_word_that_is_no_lab_is_told_what_there_is() -> None:
    known = "known: cab, dual-rail, fast, injection, "
    with pytest.raises(LabMistake, match=f"unknown lab 'tinny'; did you mean 'tiny'\\? {known}"):
        lab_file("tinny")
    with pytest.raises(LabMistake, match=r"no/such.toml is not a file"):
        lab_file("no/such.toml")


def test_every_shipped_lab_can_be_read() -> None:
    assert shipped() == ("cab", "dual-rail", "fast", "injection", "isambard", "quad-rail", "tinis", "tiny")
    assert all(read_lab(lab_file(name)).about for name in shipped())


def test_cab_has_eighteen_hosts_with_two_sockets_on_one_switch() -> None:
    cab = read_lab(lab_file("cab"))

    assert [host.cores for host in cab.hosts] == [2] * 18
    assert {link.rate.bits_per_s for link in cab.links} == {10**8}
    assert len({end.node for link in cab.links for end in link.ends}) == 19


def test_tinis_is_a_tapered_tree_with_io_nodes_behind_its_root() -> None:
    tinis = read_lab(lab_file("tinis"))
    rates = {link.name: link.rate for link in tinis.links}

    assert len(tinis.hosts) == 16
    assert rates["h0-leaf0"] == Rate(100_000_000)
    assert rates["leaf0-root0"] == Rate(200_000_000)  # four hosts over two
    assert [node.name for node in tinis.nodes if node.kind is NodeKind.io] == ["io0", "io1"]
    assert tinis.io is not None
    assert (tinis.io.file_system, tinis.io.path, tinis.io.nodes) == ("glusterfs", "/run/lab/scratch", ("io0", "io1"))
    assert {"io0-io-switch", "io-switch-root0"} <= rates.keys()


def test_hosts_with_rates_of_their_own() -> None:
    rates = [str(link.rate) for link in read_lab(lab_file("injection")).links]

    assert rates == ["200Mbit", "200Mbit", "100Mbit", "100Mbit", "50Mbit", "50Mbit", "25Mbit", "25Mbit"]


def test_a_second_rail_has_switches_and_nics_of_its_own() -> None:
    dual = read_lab(lab_file("dual-rail"))

    assert [switch.name for switch in dual.switches] == ["s0", "s0.1"]
    assert [(link.end_at("h1").device, link.opposite_end("h1").node) for link in dual.links_of("h1")] == [
        ("eth0", "s0"),
        ("eth1", "s0.1"),
    ]
