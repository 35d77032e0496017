"""Storage motifs under `--on simgrid:...`: times and bytes of simulated files against arithmetic."""

import json

import pytest
from support.lab_bench import TAPERED, isolated_s, job
from support.simulator import Simulator

from stressbench.formats.run import Run
from stressbench.stats import summarise

GIGABIT = 1e9 / 8 * 1448 / 1514  # payload, in bytes per second
FRAME = 1514 / 1448
LAB = """
[hosts]
count = 4
[[rail]]
rate = "1Gbit"
[topology]
kind = "single"
[io]
count = 2
attach = "s0"
rate = "1Gbit"
capacity = "2000GB"
"""
STRIPED = LAB + 'stripe = "4MiB"\n'
DISKS = STRIPED + 'disk_write = "40MB/s"\ndisk_read = "80MB/s"\n'
ONCE = ("--isolated", "1", "--contended", "0", "--repetitions", "1", "--warmup", "0")
GB = 10**9


def received(run: Run) -> dict[str, int]:
    """Bytes of the first round on the links to I/O nodes, frame headers included."""
    links = run.rounds[0].links
    assert links is not None
    return {link.target: link.bytes for link in links if link.target.startswith("io")}


def time_s(simulator: Simulator, text: str, motif: str, *, nodes: str = "0-3") -> float:
    (time,) = isolated_s(summarise(simulator.run(job("w", nodes, motif), simulator.lab("io", text), *ONCE)))
    return time


@pytest.mark.parametrize("size_gb", [1, 10, 100, 500])
@pytest.mark.parametrize("motif", ["posix", "posix --files rank", "mpiio -n MPI_File_write_all"])
def test_a_file_takes_its_bytes_over_the_rate_of_the_io_nodes(simulator, size_gb: int, motif: str) -> None:
    """Four hosts write at the rate of two I/O nodes. The links to them carry the file and a few headers."""
    workload = job("w", "0-3", f"{motif} -s {size_gb * GB // 4} -t 1GB -f out")

    run = simulator.run(workload, simulator.lab("io", STRIPED), *ONCE)

    assert isolated_s(summarise(run)) == [pytest.approx(size_gb * GB / (2 * GIGABIT), rel=0.01)]
    assert sum(received(run).values()) == pytest.approx(size_gb * GB * FRAME, rel=1e-4)
    assert received(run)["io0"] == pytest.approx(received(run)["io1"], rel=0.01)


def test_a_file_without_stripes_is_on_one_io_node(simulator) -> None:
    run = simulator.run(job("w", "0-3", "posix -s 256MiB -f out"), simulator.lab("io", LAB), *ONCE)

    assert isolated_s(summarise(run)) == [pytest.approx(2**30 / GIGABIT, rel=0.01)]
    assert min(received(run).values()) == 0


def test_a_disk_that_is_slower_than_the_network_gives_the_time(simulator) -> None:
    assert time_s(simulator, DISKS, "posix -s 256MiB -f out") == pytest.approx(2**30 / 80e6, rel=0.01)
    assert time_s(simulator, DISKS, "posix -s 256MiB -f out --do read") == pytest.approx(2**30 / 160e6, rel=0.01)


@pytest.mark.parametrize("motif", ["posix", "mpiio -n MPI_File_write_at"])
@pytest.mark.parametrize("work", ["write", "read"])
def test_one_transfer_takes_as_long_as_its_requests_one_by_one(simulator, motif: str, work: str) -> None:
    """Of 64 MiB by each of four ranks, at once or in 64 requests of 1 MiB, each acknowledged, to one I/O node."""
    options = f"{motif} -s 64MiB -f out --do {work}"

    whole, pieces = (time_s(simulator, LAB, options + more) for more in ("", " -t 1MiB --sync-each"))

    assert pieces == pytest.approx(whole, rel=0.02)
    assert pieces != whole


@pytest.mark.parametrize("transfer", ["256MiB", "1MiB"])
def test_a_writer_and_a_stream_share_a_link_whatever_the_length_of_transfers(simulator, transfer: str) -> None:
    """One host writes, the other streams; both leave the leaf by an uplink of one host's rate, and each gets half."""
    workload = job("writer", "0", f"posix -s 256MiB -t {transfer} -f out") + job(
        "stream", "1,2", "bandwidth -s 256MiB -w 1"
    )
    lab = TAPERED.replace("100Mbit", "1Gbit") + '[io]\ncount = 1\nattach = "root0"\nrate = "1Gbit"\nuplink = "1Gbit"\n'
    rounds = ("--isolated", "1", "--contended", "1", "--repetitions", "2")

    found = summarise(simulator.run(workload, simulator.lab("tapered", lab), *rounds))

    assert [one.timing.impact.ratio for one in found.jobs] == pytest.approx([2.0, 2.0], rel=0.02)


def test_a_single_aggregator_receives_what_others_write_and_then_writes_it(simulator) -> None:
    """Three of four ranks send it their 64 MiB, piece by piece of its buffer; it writes all 256 MiB by its own link."""
    options = "mpiio -s 64MiB -n MPI_File_write_at_all -f out --hint "

    direct = time_s(simulator, STRIPED, options + "romio_cb_write=disable")
    gathered = time_s(simulator, STRIPED, options + "romio_cb_write=enable,cb_nodes=1")

    assert direct == pytest.approx(256 * 2**20 / (2 * GIGABIT), rel=0.01)
    assert gathered == pytest.approx((192 + 256) * 2**20 / GIGABIT, rel=0.02)


def test_files_of_five_hundred_gigabytes_take_no_memory(simulator) -> None:
    workload = job("w", "0-3", "mpiio -s 125GB -t 2GB -n MPI_File_iwrite_at --in-flight 4 -f out --do write_read")

    run = simulator.run(workload, simulator.lab("io", STRIPED), *ONCE)

    expected = 2 * 500 * GB / (2 * GIGABIT)
    assert isolated_s(summarise(run)) == [pytest.approx(expected, rel=0.01)]


@pytest.mark.parametrize(
    "motif",
    [
        "posix -s 8MiB -t 64KiB -f out --do mixed",
        "posix -s 8MiB -t 64KiB -f out --files rank --do read --shift 1 --drop-caches",
        "posix -s 8MiB -t 1MiB -f out --do append -i 2 --direct --preallocate",
        "mpiio -s 8MiB -t 1MiB -f out --do write_read -n MPI_File_write_shared",
        "mpiio -s 8MiB -t 1MiB -f out --do write_read -n MPI_File_write_ordered",
        "mpiio -s 8MiB -t 1MiB --segments 4 -f out --do write_read -n MPI_File_iwrite_at --in-flight 4",
        "mpiio -s 8MiB -t 1MiB --random -f out --do write_read -n MPI_File_write_at_all",
        "mpiio -s 8MiB -t 1MiB --random -f out --do append -n MPI_File_iwrite_at_all -i 2",
        "mpiio -s 8MiB -t 1MiB -f out --do rewrite -n MPI_File_iwrite_all --truncate --stripe-count 1",
    ],
)
def test_patterns_and_calls_move_their_bytes(simulator, motif: str) -> None:
    run = simulator.run(job("w", "0-3", motif), simulator.lab("io", STRIPED), *ONCE, "--verify")

    assert run.end is not None
    assert run.end.reason == "done"
    lines = (simulator.folder / "w.jsonl").read_text(encoding="utf-8").splitlines()
    metrics = [
        record["metrics"] for record in map(json.loads, lines) if record["type"] == "sample" and record["metrics"]
    ]
    moved = [sum(one[name]["mean"] for name in ("written_bytes", "read_bytes") if name in one) for one in metrics]
    assert moved == [(8 << 20) * (2 if "-i 2" in motif or "write_read" in motif else 1)]


def test_verification_says_that_there_is_nothing_to_verify(simulator) -> None:
    run = simulator.run(job("w", "0-3", "posix -s 1MiB -f out"), simulator.lab("io", STRIPED), *ONCE, "--verify")

    assert [event.message for event in run.events] == [
        "posix: files were not verified: simulated files have no contents"
    ]


@pytest.mark.parametrize(
    ("motif", "message"),
    [
        ("posix -s 1MiB -f out --do read --existing", "open 'out': No such file or directory"),
        ("mpiio -s 1MiB -f out --do read --existing", "MPI_File_open 'out': No such file or directory"),
        ("posix -s 300MB -f out", "bytes at offset 900000000: No space left on device"),
        ("mpiio -s 300MB -f out --preallocate", "MPI_File_preallocate 'out': No space left on device"),
    ],
)
def test_storage_fails_as_a_file_system_does(simulator, motif: str, message: str) -> None:
    lab = simulator.lab("io", STRIPED.replace("2000GB", "500MB"))

    ended = simulator.ended(job("w", "0-3", motif), lab, *ONCE, "-o", simulator.folder / "w.jsonl")

    assert ended.status == 3
    assert message in ended.errors


def test_two_jobs_cannot_have_the_same_file(simulator) -> None:
    workload = job("a", "0,1", "posix -s 1MiB -f out") + job("b", "2,3", "posix -s 1MiB -f out")

    ended = simulator.ended(workload, simulator.lab("io", LAB), "--isolated", "0", "--contended", "1")

    assert ended.status == 2
    assert "--file: 'out' is in use by another job of this run; give each job its own file" in ended.errors


@pytest.mark.parametrize(
    ("where", "motif", "message"),
    [
        ("tiny", "posix -f out", "w.sb:3:9: error: the simulated lab has no I/O nodes; a lab file with [io] has some"),
        ("tinis", "posix -n mmap -f out", "--call: mmap: simulated hosts have no page cache to map"),
        ("tinis", "hdf5 -f out", "'hdf5' is not in this build: a simulation has the files of posix and mpiio only"),
        ("tinis", "mpiio -f out --hint cb_nodes=0", "--hint: cb_nodes=0: expected a number from 1 to"),
        ("tinis", "mpiio -f out --hint romio_cb_read=yes", "expected automatic, enable or disable"),
    ],
)
def test_what_is_not_simulated_is_refused_before_anything_starts(simulator, where: str, motif: str, message) -> None:
    ended = simulator.ended(job("a", "0,1", motif), where)

    assert ended.status == 2
    assert message in ended.errors


def test_a_workload_finds_the_file_system_where_the_lab_has_it(simulator) -> None:
    run = simulator.run(job("w", "0-3", "posix -s 1MiB -f ${SCRATCH}/out"), simulator.lab("io", LAB), *ONCE)

    assert run.end is not None
