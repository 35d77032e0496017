"""Every workload that ships runs, small, under both MPIs."""

import json
from pathlib import Path

import pytest

WORKLOADS = sorted((Path(__file__).resolve().parent.parent.parent / "workloads").glob("*.sb"))
RANKS = {"Open MPI": 8, "MPICH": 4}  # MPICH spins while it waits: more ranks than this take minutes on two cores
SMALL = ("--isolated", "1", "--contended", "1", "--repetitions", "1", "--warmup", "0", "--time-limit", "90s")


def test_there_are_workloads():
    assert WORKLOADS


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda path: path.name)
def test_a_shipped_workload_runs(engine, stressbench, workload, tmp_path):
    run = tmp_path / "run.jsonl"
    outcome = engine.run(
        "run", workload, "--ranks-per-node", "1", *SMALL, "--output", run, ranks=RANKS[engine.library], cwd=tmp_path
    )
    assert outcome.status == 0, outcome.said
    end = json.loads(run.read_text().splitlines()[-1])
    assert (end["type"], end["complete"]) == ("end", True)
    assert stressbench("show", run).status == 0


@pytest.mark.parametrize(("element", "count"), [("float", "2"), ("double", "1"), ("char", "8")])
def test_sizes_of_a_microbenchmark_are_bytes_whatever_the_type(engine, element, count):
    outcome = engine.run("motif", "allreduce", "--type", element, "--sizes", "8", "-i", "2", "--json", ranks=2)
    (row,) = json.loads(outcome.output)["rows"]
    assert (row["size_bytes"], row["options"]["count"]) == (8, count)
