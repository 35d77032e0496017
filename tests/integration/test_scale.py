"""Many nodes and jobs: memory that does not grow with them, and nodes and jobs of different sizes."""

import json
import resource
import signal
import subprocess
from pathlib import Path

import pytest
from support.large_workloads import large_workload
from support.programs import Engine

from stressbench.formats.run import read_run

MIB = 2**20
PROCESSOR_S = 1
NODES, JOBS = 100_000, 2_000
LARGE = ("--nodes", str(NODES), "--ranks-per-node", "4")


def ended(engine: Engine, *words: str | Path, data_bytes: int) -> subprocess.CompletedProcess[str]:
    """How the engine ended with this much memory for data, and a second of processor time."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (data_bytes, data_bytes))
        resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, 2 * PROCESSOR_S))

    return subprocess.run(engine.command(*words), capture_output=True, text=True, check=False, preexec_fn=limit)


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "large.sb"
    path.write_text(large_workload(jobs=JOBS, nodes=NODES), encoding="utf-8")
    return path


@pytest.mark.parametrize("place", ["linear", "interleaved", "random:1"])
def test_2000_jobs_on_100000_nodes_are_checked_in_a_second_and_256_mib(
    engine: Engine, workload: Path, place: str
) -> None:
    done = ended(engine, "check", workload, *LARGE, "--place", place, data_bytes=256 * MIB)

    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("2000 jobs fit\n")


def test_2000_jobs_on_100000_nodes_are_described_in_a_second_and_256_mib(engine: Engine, workload: Path) -> None:
    done = ended(engine, "describe", workload, *LARGE, "--json", data_bytes=256 * MIB)

    assert done.returncode == 0, done.stderr
    jobs = json.loads(done.stdout)["jobs"]
    assert sum(job["ranks"] for job in jobs) == 4 * NODES
    assert jobs[0]["nodes"] == "0-49000:1000"
    assert jobs[1999]["nodes"] == "99950-99999"
    assert jobs[1999]["launch_ranks"] == "399800-399999"


def test_jobs_that_ask_for_too_much_are_refused_in_256_mib(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "greedy.sb"
    path.write_text("".join(f"[JOB_NAME] j{k}\n[NODES] {NODES}\n[MOTIF] barrier\n" for k in range(JOBS)))

    done = ended(engine, "check", path, *LARGE, data_bytes=256 * MIB)

    assert done.returncode == 2
    assert "job 'j1' asks for 100000 nodes, 0 are left" in done.stderr


def test_the_limit_of_memory_would_be_noticed(engine: Engine, workload: Path) -> None:
    assert ended(engine, "describe", workload, *LARGE, "--json", data_bytes=12 * MIB).returncode != 0


def test_the_limit_of_processor_time_would_be_noticed(engine: Engine, tmp_path: Path) -> None:
    """The ranks of a TeaLeaf do not all send the same, and each is computed: 4 s for ten of them on two million."""
    path = tmp_path / "slow.sb"
    motifs = "".join(f"[MOTIF] tealeaf -x {columns}\n" for columns in range(4000, 4010))
    path.write_text(f"[JOB_NAME] one\n[NODES] 131072\n{motifs}")

    done = ended(engine, "describe", path, "--nodes", "131072", "--ranks-per-node", "16", data_bytes=256 * MIB)

    assert done.returncode == -signal.SIGXCPU


TWO_JOBS = """\
[JOB_NAME] first
[NODES] 2
[MOTIF] barrier
[JOB_NAME] second
[NODES] 1
[RANKS_PER_NODE] 1
[MOTIF] barrier
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--ranks-per-node", "2,1(x2)"), None),
        (("--ranks-per-node", "2,1(x2)", "--nodes", "3", "--ranks", "4"), None),
        (("--ranks-per-node", "2,1(x2)", "--nodes", "4"), "--ranks-per-node 2,1(x2) has 3 nodes, not --nodes 4"),
        (("--ranks-per-node", "2,1(x2)", "--ranks", "5"), "--ranks-per-node 2,1(x2) has 4 ranks, not --ranks 5"),
        (("--ranks-per-node", "2,1"), "job 'second' asks for 1 nodes, 0 are left"),
        (("--ranks-per-node", "2;1"), "'2;1' must be a number of ranks, such as 16, or a list with the ranks of all"),
        (("--ranks-per-node", "2(x0)"), "'2(x0)' must be at least 1"),
    ],
)
def test_nodes_of_different_sizes_are_checked(
    engine: Engine, tmp_path: Path, words: tuple[str, ...], message: str | None
) -> None:
    path = tmp_path / "two.sb"
    path.write_text(TWO_JOBS)

    outcome = engine.run("check", path, *words)

    assert (outcome.status, "2 jobs fit" in outcome.output) == ((0, True) if message is None else (2, False))
    assert message is None or message in outcome.errors


def test_a_run_on_nodes_of_different_sizes(engine: Engine, tmp_path: Path) -> None:
    """The first job has 2 + 1 ranks, the second one of 2. A launch that continues has the same nodes."""
    path, run_file = tmp_path / "two.sb", tmp_path / "run.jsonl"
    path.write_text(TWO_JOBS)
    common = ("--isolated", "1", "--contended", "1", "--repetitions", "2")

    first = engine.stressbench(
        "run", path, "-n", "5", "--ranks-per-node", "2,1,2", *common, "--time-limit", "1ns", "-o", run_file
    )
    second = engine.stressbench("run", "--continue", run_file)

    assert first.status == 0, first.text
    assert second.status == 0, second.text
    run = read_run(run_file)
    assert run.complete
    assert [launch.header.ranks_per_node for launch in run.launches] == ["2,1,2"] * 2
    assert [(node.node, node.ranks) for node in run.header.nodes] == [(0, "0,1"), (1, "2"), (2, "3,4")]
    assert [(job.nodes, job.ranks) for job in run.jobs] == [("0,1", 3), ("2", 1)]


def test_a_run_on_other_numbers_of_ranks_than_its_nodes_have(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "two.sb"
    path.write_text(TWO_JOBS)

    outcome = engine.run("run", path, "--ranks-per-node", "2,1,2", ranks=4)

    assert outcome.status == 2
    assert "--ranks-per-node: 2,1,2 makes 5 ranks, this launch has 4" in outcome.errors


def test_a_run_names_its_largest_ranks(engine: Engine, tmp_path: Path) -> None:
    """Rank 2 alone allocates 32 MiB."""
    path, run_file = tmp_path / "large.sb", tmp_path / "run.jsonl"
    path.write_text("[JOB_NAME] small\n[NID_LIST] 0,1\n[MOTIF] barrier\n[JOB_NAME] big\n[NID_LIST] 2,3\n"
                    "[MOTIF] bandwidth -s 32MiB -w 1\n")  # fmt: skip

    outcome = engine.run("run", path, "--ranks-per-node", "1", "--isolated", "1", "--contended", "0", "--repetitions",
                         "1", "--output", run_file, ranks=4)  # fmt: skip

    assert outcome.status == 0, outcome.text
    end = read_run(run_file).end
    assert end is not None
    assert end.memory is not None
    assert end.memory.max_rank in (2, 3)
    assert end.memory.max_bytes > end.memory.rank0_bytes + 25 * MIB
    assert end.memory.min_bytes <= end.memory.rank0_bytes
    assert end.memory.min_bytes <= end.memory.mean_bytes <= end.memory.max_bytes
