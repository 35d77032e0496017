"""Routes of simulated labs: SimGrid crosses the same links, in the same directions, as frames do on the lab."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from support.programs import CHECKOUT, LIMIT_S

from stressbench.labs.catalog import lab_file, shipped
from stressbench.labs.file import parse_lab, read_lab
from stressbench.labs.platform import platform_of
from stressbench.labs.routing import hops
from stressbench.labs.subset import with_rails
from stressbench.labs.topology import Lab

MODULE = CHECKOUT / "build" / "simgrid" / "engine" / "stressbench-platform.so"
IO = '[io]\ncount = 3\nattach = "{}"\nrate = "1Gbit"\ndisk_write = "100MB/s"\ndisk_read = "200MB/s"\n'
HEAD = '[hosts]\ncount = {}\n[[rail]]\nrate = "1Gbit"\n[topology]\n'
FAT_TREE = HEAD.format(24) + 'kind = "fat-tree"\nhosts_per_leaf = 4\ntaper = "2:1"\nroots = 3\n'
DRAGONFLY = HEAD.format(72) + (
    'kind = "dragonfly"\ngroups = 9\nrouters_per_group = 4\nhosts_per_router = 2\n'
    'local_rate = "1Gbit"\nglobal_rate = "1Gbit"\n'
)
TORUS = 'kind = "torus"\ncolumns = 4\nrows = 3\nhosts_per_switch = 2\nrate = "1Gbit"\n'
MADE = {
    "single": HEAD.format(5) + 'kind = "single"\n' + IO.format("s0"),
    "fat-tree of three roots": FAT_TREE + IO.format("root0"),
    "dragonfly": DRAGONFLY + IO.format("g0r0"),
    "torus": HEAD.format(24) + TORUS + IO.format("x0y0"),
}
LARGE = HEAD.format(1024) + 'kind = "fat-tree"\nhosts_per_leaf = 16\ntaper = "2:1"\n' + IO.format("root0")

# SimGrid has one engine for each process. Prints each pair's links, after reading the pairs.
ROUTES = """
import ctypes, sys
simgrid = ctypes.CDLL("libsimgrid.so")
simgrid.sg_host_by_name.restype = simgrid.xbt_dynar_new.restype = ctypes.c_void_p
simgrid.sg_host_by_name.argtypes = [ctypes.c_char_p]
simgrid.xbt_dynar_new.argtypes = [ctypes.c_ulong, ctypes.c_void_p]
simgrid.sg_host_get_route.argtypes = [ctypes.c_void_p] * 3
simgrid.xbt_dynar_length.restype, simgrid.xbt_dynar_length.argtypes = ctypes.c_ulong, [ctypes.c_void_p]
simgrid.xbt_dynar_get_cpy.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p]
simgrid.sg_link_get_name.restype, simgrid.sg_link_get_name.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
words = (ctypes.c_char_p * 2)(b"routes", b"--log=root.thres:error")
simgrid.simgrid_init(ctypes.byref(ctypes.c_int(2)), words)
simgrid.simgrid_load_platform(sys.argv[1].encode())
for line in sys.stdin:
    ends = [simgrid.sg_host_by_name(name.encode()) for name in line.split()]
    links, link = simgrid.xbt_dynar_new(ctypes.sizeof(ctypes.c_void_p), None), ctypes.c_void_p()
    simgrid.sg_host_get_route(*ends, links)
    names = []
    for number in range(simgrid.xbt_dynar_length(links)):
        simgrid.xbt_dynar_get_cpy(links, number, ctypes.byref(link))
        names.append(simgrid.sg_link_get_name(link).decode())
    print(*names)
"""


def routes(lab: Lab, pairs: list[tuple[str, str]], folder) -> list[list[str]]:
    """The links of each pair of stations in SimGrid's names, which end in _UP from a link's first end to its second."""
    if not MODULE.exists():
        pytest.fail(f"{MODULE} is not built: start scripts/test.sh simulator, which builds it")
    platform = folder / "platform.txt"
    platform.write_text(platform_of(lab), encoding="utf-8")
    found = subprocess.run(
        [sys.executable, "-c", ROUTES, str(MODULE)],
        input="".join(f"{source} {target}\n" for source, target in pairs),
        env=os.environ | {"STRESSBENCH_PLATFORM": str(platform)}, text=True, capture_output=True, check=False,
        timeout=LIMIT_S,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    return [line.split() for line in found.stdout.splitlines()]


def expected(lab: Lab, pairs: list[tuple[str, str]]) -> list[list[str]]:
    """The same, by the routing tables of the lab's switches."""
    tables = {(hop.node, hop.destination.name): hop.link for hop in hops(lab, rail=0)}
    nics = {node.name: lab.links_of(node.name)[0] for node in lab.stations}
    return [list(_crossed(lab, source, target, nics, tables)) for source, target in pairs]


def _crossed(lab, source, target, nics, tables) -> Iterator[str]:
    if lab.io is not None and lab.io.disk_read is not None and source in lab.io.nodes:
        yield f"{source}-disk-read"
    node = source
    while node != target:
        link = nics[node] if node == source else tables[node, target]
        yield f"{link.name}_{'UP' if link.a.node == node else 'DOWN'}"
        node = link.opposite_end(node).node
    if lab.io is not None and lab.io.disk_write is not None and target in lab.io.nodes:
        yield f"{target}-disk-write"


def all_pairs(lab: Lab) -> list[tuple[str, str]]:
    names = [node.name for node in lab.stations]
    return [(source, target) for source in names for target in names if source != target]


@pytest.mark.parametrize("name", shipped())
def test_routes_of_a_shipped_lab_are_those_of_its_frames(name, tmp_path) -> None:
    lab = with_rails(read_lab(lab_file(name)), 1)
    pairs = all_pairs(lab)

    assert routes(lab, pairs, tmp_path) == expected(lab, pairs)


@pytest.mark.parametrize("name", MADE)
def test_routes_of_each_topology_are_those_of_its_frames(name, tmp_path) -> None:
    """With I/O nodes, whose disks are part of the way; ties among the roots of a tree, and ways round a torus."""
    lab = parse_lab(MADE[name], name="made", source="made.toml")
    pairs = all_pairs(lab)

    assert routes(lab, pairs, tmp_path) == expected(lab, pairs)


def test_routes_among_a_thousand_hosts_need_a_file_of_their_number(tmp_path) -> None:
    lab = parse_lab(LARGE, name="large", source="large.toml")
    pairs = [("h0", "h15"), ("h0", "h1023"), ("h1023", "h16"), ("h500", "io2"), ("io0", "h500")]

    assert routes(lab, pairs, tmp_path) == expected(lab, pairs)
    assert len(platform_of(lab).splitlines()) < 4 * len(lab.nodes)
