"""I/O nodes: which daemons a lab would run, on which volume files, and what is said where they cannot. None is run."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import CommandResult, invoke
from support.example_files import TWO_HOSTS

from stressbench.formats.lab.errors import LabFileMistake
from stressbench.labs import setup, startup
from stressbench.labs.file import parse_lab
from stressbench.labs.mpi import scratch_of
from stressbench.labs.plan import plan
from stressbench.labs.startup import start_lab
from stressbench.labs.status import Capability
from stressbench.labs.topology import Lab
from stressbench.labs.variables import environment

TEXT = (
    TWO_HOSTS
    + """\
[io]
count = 2
attach = "s0"
rate = "50Mbit"
"""
)


def lab(more: str = "") -> Lab:
    return parse_lab(TEXT + more, name="mine", source="mine.toml")


def files(made: Lab) -> dict[str, str]:
    return {Path(file.path).name: file.text for file in plan(made).files}


def test_io_nodes_serve_and_hosts_mount() -> None:
    storage = plan(lab('capacity = "64MiB"')).storage

    assert storage is not None
    assert (storage.path, storage.capacity_bytes) == ("/run/lab/scratch", 64 * 2**20)
    assert [(one.node, one.program) for one in storage.servers] == [("io0", "glusterfsd"), ("io1", "glusterfsd")]
    assert [(one.node, one.program) for one in storage.clients] == [("h0", "glusterfs"), ("h1", "glusterfs")]
    assert {one.arguments[-1] for one in storage.clients} == {"/run/lab/scratch"}


def test_io_nodes_are_attached_to_each_of_several_switches_in_turn() -> None:
    text = """\
[hosts]
count = 3
[[rail]]
rate = "100Mbit"
[topology]
kind = "ring"
rate = "1Gbit"
[io]
count = 4
attach = ["s2", "s0", "s1"]
rate = "50Mbit"
"""

    made = parse_lab(text, name="mine", source="mine.toml")

    attached = {link.a.node: link.b.node for link in made.links if link.a.node.startswith("io")}
    assert attached == {"io0": "s2", "io1": "s0", "io2": "s1", "io3": "s2"}


def test_daemons_leave_nothing_outside_the_lab() -> None:
    storage = plan(lab()).storage

    assert storage is not None
    for daemon in (*storage.servers, *storage.clients):
        named = [word.rpartition("=")[2] for word in daemon.arguments if "/" in word]
        assert all(path.startswith("/run/lab/") for path in named)
        assert "--no-daemon" in daemon.arguments


def test_hosts_know_every_server_by_its_address() -> None:
    text = files(lab())["hosts.vol"]

    assert [line.split()[-1] for line in text.splitlines() if "remote-host" in line] == ["10.10.0.3", "10.10.0.4"]
    assert "subvolumes io0 io1\n" in text
    assert "shard" not in text


def test_closing_waits_for_what_was_written() -> None:
    """A measured write would end before its bytes have arrived."""
    assert "option flush-behind off" in files(lab())["hosts.vol"]


def test_stripes_are_pieces_on_all_io_nodes() -> None:
    text = files(lab('stripe = "8MiB"'))["hosts.vol"]

    assert "type features/shard\n    option shard-block-size 8388608\n    subvolumes spread\n" in text


def test_the_client_of_a_host_stays_on_its_cores() -> None:
    storage = plan(lab(), cores={"h1": (3,)}).storage

    assert storage is not None
    assert [one.cores for one in storage.clients] == [(), (3,)]


def test_io_nodes_that_do_not_serve_are_plain_nodes() -> None:
    made = plan(lab(), serve_files=False)

    assert made.storage is None
    assert not [file for file in made.files if file.path.endswith(".vol")]
    assert [node.name for node in made.nodes][2:4] == ["io0", "io1"]


def test_scratch_is_what_io_nodes_serve_and_never_a_folder_of_the_machine_instead() -> None:
    def found(lab: Lab, *, serve_files: bool = True) -> dict[str, str]:
        return dict(environment(lab.name, rails=lab.rails, scratch=scratch_of(lab, serve_files=serve_files)))

    assert found(lab())["SCRATCH"] == "/run/lab/scratch"
    assert found(lab(), serve_files=False)["SCRATCH"] == ""
    assert "SCRATCH" not in found(replace(lab(), io=None))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('stripe = "1MiB"', "11: io.stripe: '1MiB': expected at least 4MiB, or no stripe: then files lie whole on "),
        ('stripe = "wide"', "11: io.stripe: 'wide': expected a size, such as 256KiB"),
        ('capacity = "0B"', "11: io.capacity: '0B': expected more than 0 bytes"),
        ('path = "/scratch"', "11: io.path: '/scratch': expected a name below /run/lab, such as /run/lab/scratch"),
        ('path = "/run/lab/../x"', "11: io.path: '/run/lab/../x': expected a name below /run/lab"),
        ('path = "/run/lab/tmp"', "11: io.path: '/run/lab/tmp': the lab uses this itself; expected another name"),
        ('file_system = "nfs"', "11: io.file_system: 'nfs': expected 'glusterfs'"),
    ],
)
def test_a_mistake_about_io_nodes_gives_one_message_with_its_line(more: str, said: str) -> None:
    with pytest.raises(LabFileMistake) as caught:
        lab(more)

    (message,) = caught.value.messages
    assert message.startswith(f"mine.toml:{said}")


def unavailable(name: str) -> Capability:
    return Capability(name=name, there=False, needed=False, why="files", remedy="bring it")


@pytest.mark.parametrize("there", [True, False])
def test_a_lab_comes_up_without_a_file_system_where_the_machine_has_none(tmp_path, monkeypatch, there: bool) -> None:
    (tmp_path / "mine.toml").write_text(TEXT, encoding="utf-8")
    asked = []
    monkeypatch.setattr(startup, "missing", lambda: ())
    monkeypatch.setattr(startup, "storage", lambda: () if there else (unavailable("GlusterFS"),))
    monkeypatch.setattr(startup, "up", lambda *_, serve_files, **__: asked.append(serve_files))

    brought = start_lab(tmp_path / "mine.toml", name="mine")

    assert asked == [there]
    assert [one.name for one in brought.unavailable] == ([] if there else ["GlusterFS"])


@pytest.fixture
def apt_get(tmp_path, monkeypatch) -> Path:
    """Stands in for apt-get: notes what it is asked, fails as long as `broken` is there, and brings `glusterfs`."""
    notes, there = tmp_path / "asked", tmp_path / "glusterfs"
    script = tmp_path / "apt-get"
    script.write_text(
        f'#!/bin/sh\necho "$*" >> {notes}\n'
        f'case "$*" in *update*) rm -f {tmp_path}/broken ;; *) [ ! -e {tmp_path}/broken ] && touch {there} ;; esac\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(
        setup, "find_tool", lambda name: None if name.startswith("gluster") and not there.exists() else name
    )
    return notes


def set_up(*words: str) -> CommandResult:
    return invoke(["lab", "setup", *words])


def test_setup_says_what_is_missing_and_touches_nothing(apt_get) -> None:
    ended = set_up()

    assert ended.exit_code == 1
    assert "missing: glusterfs-client; as root, `stressbench lab setup --install` runs: apt-get " in ended.output
    assert not apt_get.exists()


def test_setup_installs_as_root_when_told(apt_get, monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    ended = set_up("--install")

    assert (ended.exit_code, ended.output) == (0, "stressbench: installed: glusterfs-client\n")
    asked = apt_get.read_text(encoding="utf-8").splitlines()
    assert [line.split(" ", 2)[2] for line in asked] == ["install -y --no-install-recommends glusterfs-client"]
    assert set_up().output == "stressbench: nothing is missing\n"


def test_setup_looks_for_newer_lists_where_a_package_is_not_found(apt_get, monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (apt_get.parent / "broken").touch()

    assert set_up("--install").exit_code == 0
    assert [line.split()[2] for line in apt_get.read_text(encoding="utf-8").splitlines()] == [
        "install",
        "update",
        "install",
    ]


def test_setup_without_root_says_what_to_type(apt_get, monkeypatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    ended = set_up("--install")

    assert ended.exit_code == 2
    assert "--install needs root: sudo apt-get install -y --no-install-recommends glusterfs-client" in ended.output
    assert not apt_get.exists()
