"""Paths among which switches choose, the routes of the kernel for them, and the program that chooses."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from stressbench.formats.lab.errors import LabFileMistake
from stressbench.labs.adaptive import check_routing_program
from stressbench.labs.adaptive_routes import AdaptivePath, adaptive_switches
from stressbench.labs.capabilities import load_dependent_routing
from stressbench.labs.file import parse_lab
from stressbench.labs.plan import plan
from stressbench.labs.plan_json import plan_from_json, plan_to_json
from stressbench.labs.topology import Lab

ROOT = Path(__file__).resolve().parents[2]
NICS = '[hosts]\ncount = {hosts}\n[[rail]]\nrate = "100Mbit"\n'
RING = NICS.format(hosts=4) + '[topology]\nkind = "ring"\nrate = "100Mbit"\n'
FAT_TREE = NICS.format(hosts=4) + '[topology]\nkind = "fat-tree"\nhosts_per_leaf = 2\nroots = 2\n'
DRAGONFLY = NICS.format(hosts=8) + (
    '[topology]\nkind = "dragonfly"\ngroups = 4\nrouters_per_group = 2\nhosts_per_router = 1\n'
    'local_rate = "200Mbit"\nglobal_rate = "100Mbit"\n'
)


def routed(routing: str, network: str) -> Lab:
    return parse_lab(f'routing = "{routing}"\n{network}', name="r", source="r.toml")


def paths(lab: Lab, source: str, target: str) -> tuple[AdaptivePath, ...]:
    switch = adaptive_switches(lab)[source]
    return next(one.paths for one in switch.routes if one.target == lab.node(target).number)


def test_a_fat_tree_has_its_uplinks_and_no_detours() -> None:
    lab = routed("adaptive", FAT_TREE)

    assert [(one.via, one.links) for one in paths(lab, "leaf0", "leaf1")] == [(None, 2), (None, 2)]


def test_detours_of_a_dragonfly_cross_one_other_group_and_no_switch_twice() -> None:
    lab = routed("adaptive", DRAGONFLY)

    found = paths(lab, "g0r0", "g1r0")

    assert [one.links for one in found if one.via is None] == [1]
    assert {one.links for one in found if one.via is not None} <= {3, 4, 5}
    ports = adaptive_switches(lab)["g0r0"].ports
    assert [port.device for port in ports if port.decides] == ["g0r1"]


def test_the_plan_of_a_switch_reaches_the_supervisor_as_it_is() -> None:
    made = plan(routed("adaptive", DRAGONFLY))

    assert plan_from_json(json.loads(json.dumps(plan_to_json(made)))) == made
    lines = next(one for one in made.nodes if one.name == "g0r0").tc
    assert any("ingress pref 65000 bpf direct-action" in line for line in lines)


def test_equally_short_paths_are_next_hops_of_one_route() -> None:
    leaf = next(one for one in plan(routed("ecmp", FAT_TREE)).nodes if one.name == "leaf0")

    several = [line for line in leaf.ip if line.startswith("route replace 10.10.0.3/32")]
    assert several[0].count("nexthop via") == 2
    assert [one.value for one in leaf.settings if one.file == "net/ipv4/fib_multipath_hash_policy"] == ["1"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('routing = "ugal"\n' + RING, "r.toml:1: routing: 'ugal'.*'static', 'ecmp' or 'adaptive'"),
        (
            'routing = "ecmp"\n' + NICS.format(hosts=2) + '[topology]\nkind = "single"\n',
            'r.toml:1: routing: "ecmp": bridges forward along a tree, with one path',
        ),
        (
            'routing = "adaptive"\n' + NICS.format(hosts=2) + '[topology]\nkind = "single"\nforwarding = "route"\n',
            'r.toml:1: routing: "adaptive": there is only one path between any two switches of this single',
        ),
        (
            'routing = "adaptive"\n' + RING,
            'r.toml:1: routing: "adaptive": not on kind = "ring"; expected dragonfly or fat-tree, or routing = "ecmp"',
        ),
        (
            'routing = "adaptive"\n' + FAT_TREE.replace("count = 4", "count = 126"),
            'r.toml:1: routing: "adaptive": 65 switches: expected at most 64; use "ecmp"',
        ),
    ],
)
def test_a_routing_that_cannot_be_is_refused_with_its_line(text: str, complaint: str) -> None:
    with pytest.raises(LabFileMistake, match=complaint):
        parse_lab(text, name="r", source="r.toml")


def test_the_program_is_that_of_its_source() -> None:
    ended = subprocess.run([sys.executable, ROOT / "scripts" / "make_programs.py", "--check"], check=False)

    assert ended.returncode == 0


def test_the_kernel_accepts_the_program() -> None:
    if not load_dependent_routing().there:
        pytest.skip(f"no program can be loaded here: {load_dependent_routing().remedy}")
    check_routing_program()
