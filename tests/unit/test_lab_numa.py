"""Sockets of a lab's hosts: which cores and NICs belong to them, and that ranks find the NIC of their own socket."""

import os
import subprocess
from pathlib import Path

import pytest
from support.fake_launcher import put

from stressbench.formats.lab.errors import LabFileMistake
from stressbench.formats.lab.paths import NUMA
from stressbench.labs.catalog import lab_file
from stressbench.labs.file import parse_lab, read_lab
from stressbench.labs.numa import numa_files
from stressbench.labs.pinning import cores_of_sockets
from stressbench.labs.plan import plan
from stressbench.launch.rail_scripts import bound_to_socket, by_numa_distance

QUAD = read_lab(lab_file("quad-rail"))
CORES = {host.name: (3, 7) for host in QUAD.hosts}
NICS = ("eth0", "eth1", "eth2", "eth3")
LAB = """\
[hosts]
count = 2
cores = {cores}
sockets = {sockets}
[[rail]]
rate = "1Gbit"
socket = {socket}
[topology]
kind = "single"
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The files of the hosts of `quad-rail`, in a folder."""
    for path, text in numa_files(QUAD, CORES):
        file = tmp_path / Path(path).relative_to(NUMA)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("number", "sockets", "parts"),
    [
        (0, 1, ((0, 1, 2, 3),)),
        (1, 1, ((0, 1, 2, 3),)),
        (0, 2, ((0, 1), (2, 3))),
        (1, 2, ((2, 3), (0, 1))),
        (3, 2, ((0, 1), (2, 3))),
        (1, 4, ((1,), (2,), (3,), (0,))),
    ],
)
def test_sockets_have_equal_parts_of_the_cores_and_first_ones_take_turns(
    number: int, sockets: int, parts: tuple[tuple[int, ...], ...]
) -> None:
    assert cores_of_sockets(number, (0, 1, 2, 3), sockets=sockets) == parts


@pytest.mark.parametrize("host", ["h0", "h1"])
@pytest.mark.parametrize("socket", [0, 1])
def test_a_rank_on_a_socket_s_core_takes_the_first_nic_of_that_socket(tree: Path, host: str, socket: int) -> None:
    core = (tree / host / "sockets" / str(socket)).read_text().strip()
    fields = ["S", *map(str, range(4, 39)), core, "0"]
    (tree / "stat").write_text(f"1 (a) {' '.join(fields)}\n")
    wrapper = by_numa_distance(NICS, names=["NIC"], sys=f"{tree}/{host}", stat=str(tree / "stat"))

    ended = subprocess.run([*wrapper, "sh", "-c", "echo $NIC"], capture_output=True, text=True, check=True)

    assert ended.stdout == ("eth0\n", "eth2\n")[socket]


@pytest.mark.parametrize(("rank", "socket"), [(0, 0), (1, 1), (2, 0)])
def test_ranks_of_a_host_are_bound_to_its_sockets_in_turns(tree: Path, rank: int, socket: int) -> None:
    put(tree / "bin" / "taskset", '#!/bin/sh\necho "$*" >&2\n')
    wrapper = bound_to_socket(2, folder=f"{tree}/$NAME")
    path = f"{tree / 'bin'}:{os.environ['PATH']}"

    ended = subprocess.run(
        [*wrapper, "echo", "started"], capture_output=True, text=True, check=True,
        env={"PATH": path, "NAME": "h1", "OMPI_COMM_WORLD_LOCAL_RANK": str(rank)},
    )  # fmt: skip

    cores = (tree / "h1" / "sockets" / str(socket)).read_text().strip()
    assert ended.stderr.split()[:2] == ["-cp", cores]
    assert ended.stdout == "started\n"


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"OMPI_COMM_WORLD_LOCAL_RANK": "0"}, "no cores are known of socket 0"),
        ({}, "no launcher says which rank this is on its host"),
    ],
)
def test_a_rank_without_socket_or_number_does_not_start(tmp_path: Path, variables: dict[str, str], reason: str) -> None:
    wrapper = bound_to_socket(2, folder=f"{tmp_path}/gone")

    ended = subprocess.run(
        [*wrapper, "echo", "started"], capture_output=True, text=True, check=False,
        env={"PATH": os.environ["PATH"], **variables},
    )  # fmt: skip

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("stressbench: sockets: ")
    assert ended.stderr.strip().endswith(reason)


def test_hosts_with_one_socket_have_no_such_files() -> None:
    tiny = read_lab(lab_file("tiny"))

    assert not [file for file in plan(tiny, cores={host.name: (0,) for host in tiny.hosts}).files if NUMA in file.path]
    assert [file for file in plan(QUAD, cores=CORES).files if NUMA in file.path]


def test_nics_belong_to_sockets_one_after_the_other_unless_stated() -> None:
    text = LAB.format(cores=2, sockets=2, socket=1).replace("[topology]", '[[rail]]\nrate = "1Gbit"\n[topology]')

    assert parse_lab(text, name="a", source="a.toml").nic_sockets == (1, 1)
    assert parse_lab(text.replace("socket = 1\n", ""), name="a", source="a.toml").nic_sockets == (0, 1)
    assert QUAD.nic_sockets == (0, 0, 1, 1)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((3, 2, 0), "a.toml:4: hosts.sockets: 3 cores on 2 sockets: expected as many on each"),
        ((2, 2, 2), "a.toml:7: rail.socket: 2: expected 0 to 1"),
        ((2, 1, 1), "a.toml:7: rail.socket: 1: expected 0, or hosts.sockets"),
        ((2, 0, 0), "a.toml:4: hosts.sockets: 0"),
        ((2, 2, -1), "a.toml:7: rail.socket: -1"),
    ],
)
def test_sockets_that_cannot_be_are_refused(values: tuple[int, int, int], message: str) -> None:
    text = LAB.format(**dict(zip(("cores", "sockets", "socket"), values, strict=True)))

    with pytest.raises(LabFileMistake) as caught:
        parse_lab(text, name="a", source="a.toml")
    assert str(caught.value).startswith(message)


def test_a_host_with_other_cores_needs_as_many_on_each_socket_too() -> None:
    text = LAB.format(cores=2, sockets=2, socket=0) + '[[host]]\nname = "h1"\ncores = 3\n'

    with pytest.raises(LabFileMistake, match=r"a\.toml:12: host.cores: 3 cores on 2 sockets: expected as many on each"):
        parse_lab(text, name="a", source="a.toml")
