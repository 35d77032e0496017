"""I/O nodes serve every host over the lab's links, and who writes slows others as arithmetic says."""

import os
import subprocess
import sys

import pytest
from support.lab_bench import (
    PAYLOAD,
    RATE,
    SERVED,
    STORING,
    STREAM,
    Bench,
    blocks,
    descendants_marked,
    gone,
    impacts,
    isolated,
    isolated_s,
    job,
    require_storage,
    without_root,
)
from support.programs import LIMIT_S

STRIPED = SERVED.replace('"2:1"', '"1:1"') + 'stripe = "4MiB"\n'
WRITTEN = 8 * 2**20


@pytest.fixture(autouse=True, scope="module")
def _served() -> None:
    require_storage()


def writer(name: str, size: str = "8MiB") -> str:
    return "posix -s " + size + " -t 1MiB --sync -f ${SCRATCH}/" + name


def test_every_host_finds_one_file_system_and_the_machine_does_not(lab_up) -> None:
    tapered = lab_up("tapered-io", SERVED)

    tapered.lab("exec", "--lab", "tapered-io", "h0", "--", "sh", "-c", "echo hello >$SCRATCH/greeting")
    read = [
        tapered.lab("exec", "--lab", "tapered-io", f"h{n}", "--", "sh", "-c", "cat $SCRATCH/greeting") for n in (1, 3)
    ]
    mounts = subprocess.run(["cat", "/proc/mounts"], capture_output=True, text=True, check=True).stdout

    assert read == ["hello\n", "hello\n"]
    assert "glusterfs" not in mounts


@pytest.mark.parametrize(
    ("nodes", "motif"), [("0", writer("one")), ("0,2", "mpiio -s 4MiB -t 1MiB --sync -f ${SCRATCH}/m")]
)
def test_a_writer_is_as_fast_as_its_way_to_the_io_node(lab_up, measured, samples, nodes, motif) -> None:
    """Until all is synced and closed. Of two hosts in one file, the I/O node's own link is the way they share.

    10 %: opening, syncing and closing are messages of their own.
    """
    found = lab_up("tapered-io", SERVED).run(job("w", nodes, motif), *isolated(samples))

    measured.median("time of 8 MiB written [s]", isolated_s(found), expected=WRITTEN * 8 / RATE, within=0.1)


def test_what_another_host_wrote_is_read_at_the_rate_of_the_link(lab_up, measured, samples) -> None:
    """Two hosts behind one leaf, 4 MiB each: its uplink is the way they share. 10 %: as of writing."""
    motif = "posix -s 4MiB -t 1MiB --files rank --do read --shift 1 --drop-caches -f ${SCRATCH}/r"

    found = lab_up("tapered-io", SERVED).run(job("r", "0,1", motif), *isolated(samples))

    measured.median("time of 8 MiB read [s]", isolated_s(found), expected=WRITTEN * 8 / RATE, within=0.1)


def test_a_job_that_shares_a_link_with_a_writer_gets_half_of_it(lab_up, measured, samples) -> None:
    """Both leave leaf0 by its uplink, which one of them could fill. 10 %: as of writing."""
    workload = job("writer", "0", writer("shared")) + job("stream", "1,2", STREAM)

    found = lab_up("tapered-io", SERVED).run(workload, *blocks(samples))

    ratios = {f"impact of {one.name}": impacts(found, one.job) for one in found.jobs}
    measured.medians(ratios, expected=2.0, within=0.1)


def test_bytes_that_are_verified_came_through_two_io_nodes(lab_up) -> None:
    """Each rank reads what another host wrote."""
    tapered = lab_up("tapered-io", SERVED)
    motif = "posix -s 1500001 -t 100001 --files rank --do write_read --shift 1 -f ${SCRATCH}/v"

    assert tapered.run(job("v", "0-3", motif), "--isolated", "1", "--contended", "0", "--verify").jobs


@pytest.mark.parametrize(("nodes", "each_mib", "hosts"), [("0", 64, 1), ("0-3", 32, 4)])
def test_striped_files_lie_on_all_io_nodes(lab_up, nodes, each_mib, hosts) -> None:
    """Where a piece of 4 MiB lies is drawn, so that all 16 or more of them lie on one I/O node once in 30,000 times."""
    striped = lab_up("striped-io", STRIPED)
    before = striped.sent()

    motif = f"posix -s {each_mib}MiB -t 1MiB --files rank --sync -f " + "${SCRATCH}/s"
    once = ("--isolated", "1", "--contended", "0", "--repetitions", "1", "--warmup", "0")
    striped.run(job("s", nodes, motif), *once)

    after = striped.sent()
    arrived = [after[end] - before[end] for end in ((f"{node}-root0", "root0") for node in ("io0", "io1"))]
    assert sum(arrived) == pytest.approx(hosts * each_mib * 2**20 / PAYLOAD, rel=0.02)
    assert min(arrived) / sum(arrived) > 0.03


def test_an_io_node_holds_no_more_than_its_capacity(lab_up) -> None:
    small = lab_up("small-io", STORING.replace("count = 2\nattach", 'count = 1\ncapacity = "4MiB"\nattach'))
    (small.folder / "w.sb").write_text(job("w", "0", writer("much")), encoding="utf-8")

    ended = small.stressbench("run", "w.sb", "--on", "lab:small-io", "-n", "1", *isolated(1))

    assert ended.status == 3
    assert "No space left on device" in ended.text


def test_without_root_io_nodes_are_plain_nodes_and_scratch_is_no_folder_of_the_machine(engine, tmp_path) -> None:
    (tmp_path / "storing.toml").write_text(STORING, encoding="utf-8")
    (tmp_path / "w.sb").write_text(job("w", "0", writer("file")), encoding="utf-8")
    bench = Bench("storing", tmp_path, engine.program)
    nobody = without_root(tmp_path)

    def ended(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [*nobody, sys.executable, "-m", "stressbench", *words]
        environment = {**os.environ, **bench.environment, "SCRATCH": "/tmp"}
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)

    came_up = ended("lab", "up", "storing.toml")
    try:
        refused = ended("run", "w.sb", "--on", "lab:storing", "-n", "1", "-o", "labs/w.jsonl")
    finally:
        ended("lab", "down", "storing")

    assert came_up.returncode == 0, came_up.stderr
    assert "stressbench: I/O nodes serve no file system: trusted attributes missing: run as root" in came_up.stderr
    assert refused.returncode == 2
    assert "SCRATCH" in refused.stderr


def test_setup_finds_nothing_missing_where_labs_serve(engine) -> None:
    ended = engine.stressbench("lab", "setup", "--install")

    assert (ended.status, ended.text) == (0, "stressbench: nothing is missing\n")


def test_a_lab_goes_down_while_a_host_writes(engine, tmp_path, wait_for) -> None:
    (tmp_path / "storing.toml").write_text(STORING, encoding="utf-8")
    bench = Bench("storing", tmp_path, engine.program)
    bench.lab("up", "storing.toml")
    endless = "exec cat /dev/zero >$SCRATCH/endless"
    words = [sys.executable, "-m", "stressbench", "lab", "exec", "h0", "--", "sh", "-c", endless]
    with subprocess.Popen(words, env={**os.environ, **bench.environment}) as writing:
        wait_for(lambda: bench.sent()["h0-s0", "h0"] > 2**20, "bytes are on their way")
        bench.lab("down", "storing")
        assert writing.wait(timeout=LIMIT_S) != 0

    wait_for(lambda: gone(tmp_path / "labs"), "nothing is left")


def test_a_lab_whose_file_system_dies_ends_as_a_whole(engine, tmp_path, wait_for) -> None:
    (tmp_path / "storing.toml").write_text(STORING, encoding="utf-8")
    bench = Bench("storing", tmp_path, engine.program)
    bench.lab("up", "storing.toml")

    bench.stressbench("lab", "exec", "io0", "--", "sh", "-c", "kill -9 $(pgrep -o glusterfsd)")

    wait_for(lambda: not descendants_marked(tmp_path / "labs"), "every process of the lab ends")
    bench.lab("down", "storing")
