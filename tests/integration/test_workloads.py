"""Every workload that ships runs, small, under both MPIs."""

import json
from pathlib import Path

import pytest

WORKLOADS = sorted((Path(__file__).resolve().parent.parent.parent / "workloads").glob("*.sb"))
RANKS = {"Open MPI": 8, "MPICH": 4}  # MPICH spins while it waits: more ranks than this take minutes on two cores
# What a workload's head says for one machine, where its defaults are for a larger one: ranks and settings.
SMALLER = {
    "gpcnet.sb": (14, ("--set", "repeat=3")),
    "quickstart.sb": (8, ("--set", "nodes=2")),
    "training.sb": (
        6, ("--set", "nodes=2", "--set", "parameters=1000000", "--set", "tokens=256", "--set", "cells=480"),
    ),
}  # fmt: skip
RANKS_PER_NODE = {"rails-two-jobs.sb": "2"}  # jobs that share nodes
SMALL = ("--isolated", "1", "--contended", "1", "--repetitions", "1", "--warmup", "0")


def test_there_are_workloads():
    assert WORKLOADS


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda path: path.name)
def test_a_shipped_workload_runs(engine, stressbench, workload, tmp_path):
    run = tmp_path / "run.jsonl"
    ranks, settings = SMALLER.get(workload.name, (RANKS[engine.library], ()))
    outcome = engine.run(
        "run", workload, "--ranks-per-node", RANKS_PER_NODE.get(workload.name, "1"), *SMALL, *settings, "--output", run,
        ranks=ranks, cwd=tmp_path,
    )  # fmt: skip
    assert outcome.status == 0, outcome.text
    end = json.loads(run.read_text().splitlines()[-1])
    assert (end["type"], end["complete"]) == ("end", True)
    assert stressbench("show", run).status == 0


@pytest.mark.parametrize(("element", "count"), [("float", "2"), ("double", "1"), ("char", "8")])
def test_sizes_of_a_microbenchmark_are_bytes_whatever_the_type(engine, element, count):
    outcome = engine.run("motif", "allreduce", "--type", element, "--sizes", "8", "-i", "2", "--json", ranks=2)
    (row,) = json.loads(outcome.output)["rows"]
    assert (row["size_bytes"], row["options"]["count"]) == (8, count)


def test_a_job_with_a_load_works_that_share_of_the_time(any_engine, tmp_path):
    """A rest of nine times what a repetition took follows each: sleeping may last longer, and never less."""
    workload, output = tmp_path / "load.sb", tmp_path / "run.jsonl"
    workload.write_text("[JOB_NAME] some\n[NODES] 1\n[LOAD] 10%\n[REPEAT] 20\n[MOTIF] compute -m 1ms --mode sleep\n")

    done = any_engine.run(
        "run", workload, "--ranks-per-node", "1", "--isolated", "1", "--contended", "0", "--output", output, ranks=1
    )

    assert done.status == 0, done.text
    records = [json.loads(line) for line in output.read_text().splitlines()]
    took_s = [one["time_max_s"] for one in records if one["type"] == "sample" and one["step"] is None]
    (round_,) = (one for one in records if one["type"] == "round")
    assert len(took_s) == 20 + 1  # and a warm-up
    assert round_["duration_s"] >= 10 * sum(took_s)
