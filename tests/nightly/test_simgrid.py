"""`--on simgrid:...`: the network of a lab in virtual time, against the lab itself and against arithmetic."""

import json
import os
import signal
import subprocess

import pytest
from support.lab_bench import RATE, STREAM, TAPERED, WINDOW, isolated, isolated_s, job
from support.programs import LIMIT_S, Started, finished, wait_for_rounds
from support.simulator import ENGINE

from stressbench.formats.run import read_run
from stressbench.stats import summarise

LARGE = """
[hosts]
count = 128
[[rail]]
rate = "1Gbit"
[topology]
kind = "fat-tree"
hosts_per_leaf = 16
taper = "4:1"
"""
ISOLATED = ("--isolated", "1", "--contended", "0", "--repetitions", "6")
ROUNDS = ("--isolated", "1", "--contended", "1", "--repetitions", "6")


@pytest.mark.parametrize(
    ("motif", "nodes", "expected_s"),
    [
        (STREAM, "0,1", WINDOW * 8 / RATE),
        ("incast -s 512KiB", "0-3", 3 * 512 * 2**10 * 8 / RATE),
        (
            "sendrecv -s 1MiB",
            "0-3",
            1.05 * 2**20 * 8 / RATE,  # each way of each link carries one message, and acknowledgements
        ),
    ],
)
def test_a_motif_takes_its_bytes_over_the_rate(simulator, motif, nodes, expected_s) -> None:
    found = simulator.summary(job("a", nodes, motif), "tiny", *ISOLATED)

    assert isolated_s(found) == [pytest.approx(expected_s, rel=0.01)]


@pytest.mark.parametrize(
    ("motif", "nodes"),
    [
        (STREAM, "0-3"),
        ("pingpong -s 1MiB", "0-3"),
        ("incast -s 512KiB", "0-3"),
        ("sendrecv -s 1MiB", "0,1"),
        ("sendrecv -s 32KiB -i 16", "0-3"),
        ("alltoall -s 32KiB -i 8", "0-3"),
    ],
)
def test_a_motif_takes_as_long_as_on_the_lab(simulator, lab_up, measured, samples, motif, nodes) -> None:
    """10 %: the simulator knows rates and latencies, and no acknowledgements beside data of the other way."""
    workload = job("a", nodes, motif)
    (expected,) = isolated_s(simulator.summary(workload, "tiny", *ISOLATED))

    found = lab_up("tiny").run(workload, *isolated(samples))

    measured.median(f"time of {motif} on the lab [s]", isolated_s(found), expected=expected, within=0.1)


@pytest.mark.parametrize(("pairs", "impact"), [(("0,2", "1,3"), 2.0), (("0,1", "2,3"), 1.0)])
def test_two_streams_share_what_they_share(simulator, pairs, impact) -> None:
    """Over the tapered uplink each gets half; within one switch each, nobody notices the other."""
    workload = job("one", pairs[0], STREAM) + job("other", pairs[1], STREAM)

    found = simulator.summary(workload, simulator.lab("tapered", TAPERED), *ROUNDS)

    assert [one.timing.impact.ratio for one in found.jobs] == pytest.approx([impact, impact], rel=0.01)


def test_computation_and_sleep_pass_in_virtual_time(simulator) -> None:
    """An hour of it, twice: nobody waits so long."""
    found = simulator.summary(
        job("spins", "0", "compute -m 3600s") + job("sleeps", "1", "compute -m 3600s --mode sleep"), "tiny",
        "--isolated", "1", "--contended", "0", "--repetitions", "1",
    )  # fmt: skip

    assert [isolated_s(found, number) for number in (0, 1)] == [[pytest.approx(3600, rel=1e-9)]] * 2


def test_four_jobs_of_a_hundred_and_twenty_eight_ranks_share_tapered_uplinks(simulator) -> None:
    """Interleaved, 4 hosts of each job are on a leaf: its 4 Gbit/s carry one job's 4 streams, or a quarter of all."""
    workload = "".join(f"[JOB_NAME] {name}\n[NODES] 32\n[MOTIF] {STREAM} --pairs halves\n" for name in "abcd")
    rounds = ("--isolated", "1", "--contended", "1", "--repetitions", "3", "--place", "interleaved")

    run = simulator.run(workload, simulator.lab("large", LARGE), *rounds)

    assert (run.header.ranks, len(run.header.nodes)) == (128, 128)
    found = summarise(run)
    assert isolated_s(found) == [pytest.approx(WINDOW * 8 / (10 * RATE), rel=0.01)]
    assert [one.timing.impact.ratio for one in found.jobs] == pytest.approx([4.0] * 4, rel=0.01)


def test_records_say_that_they_were_simulated_and_on_what(simulator) -> None:
    run = simulator.run(job("a", "0,1", "pingpong"), "tiny", *ISOLATED)

    header = run.header
    assert header.simulation is not None
    assert header.simulation.simulator.startswith("SimGrid 3.")
    assert header.simulation.platform is not None
    assert header.simulation.platform.name == "tiny"
    assert 'kind = "single"' in header.simulation.platform.text
    assert header.simulation.settings is not None
    assert header.simulation.settings["network/model"] == "CM02"
    assert (header.clock.source, header.clock.resolution_s) == ("SimGrid", 1e-9)
    assert header.load_average is None
    assert [(node.host, node.cores) for node in header.nodes] == [(f"h{number}", 1) for number in range(4)]


def test_the_same_seed_gives_the_same_times(simulator) -> None:
    def samples() -> list[dict[str, object]]:
        simulator.run(job("a", "0-3", "traffic"), "tiny", *ROUNDS, "--seed", "7")
        lines = (simulator.folder / "w.jsonl").read_text(encoding="utf-8").splitlines()
        return [record for record in map(json.loads, lines) if record["type"] == "sample"]

    assert samples() == samples()


@pytest.mark.parametrize("motif", ["alltoall -s 128KiB", "halo3d", "allreduce -c 131072", "put -s 256KiB"])
def test_payload_that_nothing_reads_is_not_copied_and_takes_as_long(simulator, motif) -> None:
    """Copied, and right, with --verify; the command of the run, which ranks tell each other, is longer then."""
    shared = simulator.summary(job("a", "0-3", motif), "tiny", *ISOLATED)

    verified = simulator.summary(job("a", "0-3", motif), "tiny", *ISOLATED, "--verify")

    assert isolated_s(shared) == pytest.approx(isolated_s(verified), rel=1e-6)


@pytest.mark.parametrize(
    ("motif", "message"),
    [
        ("metadata", "'metadata' is not in this build: a simulation has the files of posix and mpiio only"),
        ("threads -t 4", "'threads' is not in this build: ranks of a simulation have no threads"),
        ("neighbor_alltoall", "is not in this build: SimGrid's MPI has no neighbourhood collectives"),
    ],
)
def test_what_a_simulation_cannot_have_is_refused_before_it_starts(simulator, motif, message) -> None:
    ended = simulator.ended(job("a", "0,1", motif), "tiny")

    assert ended.status == 2
    assert message in ended.errors
    assert ended.errors.count("is not in this build") == 1


def test_a_request_to_stop_ends_the_simulation_in_good_order(simulator) -> None:
    target = simulator.folder / "stopped.jsonl"
    rounds = ("--isolated", "1000000", "--contended", "0")
    words = simulator.words(job("a", "0-3", "alltoall"), "tiny", "-o", target, *rounds)

    with Started(words, cwd=simulator.folder, environment=simulator.environment) as process:
        wait_for_rounds(target)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT_S)
        status = process.returncode

    assert status == 130
    run = read_run(target)
    assert run.end is not None
    assert run.end.reason == "interrupted"


def test_the_installed_engine_needs_no_build_folder(simulator, tmp_path) -> None:
    build, prefix = ENGINE.parents[1], tmp_path / "prefix"
    subprocess.run(
        ["cmake", "--install", str(build), "--prefix", str(prefix), "--component", "simgrid"],
        check=True, capture_output=True,
    )  # fmt: skip
    path = os.pathsep.join([str(prefix / "bin"), os.environ["PATH"]])

    ended = finished(
        simulator.words(job("a", "0,1", "pingpong"), "tiny", "-n", "2", *ROUNDS, "-o", "installed.jsonl"),
        cwd=tmp_path, environment=simulator.environment | {"STRESSBENCH_SIMGRID": "", "PATH": path},
    )  # fmt: skip

    assert ended.status == 0, ended.text
    assert "SIMULATED by SimGrid" in ended.text


def test_the_memory_of_a_simulation_grows_in_proportion_to_the_hosts(simulator, benchmark, tmp_path) -> None:
    """From 16 to 64 hosts: 48 more ranks, each with its copy of the program, and files without contents."""
    simulation = benchmark("simulation")

    def memory(hosts: int) -> int:
        (tmp_path / str(hosts)).mkdir()
        cost = simulation.simulate(ENGINE, hosts, tmp_path / str(hosts))
        assert cost.simulated_s == pytest.approx(hosts * 1e9 / (2 * 1e9 / 8 * 1448 / 1514), rel=0.02)
        return int(cost.memory_bytes)

    assert (memory(64) - memory(16)) / 48 < 4 * 2**20
