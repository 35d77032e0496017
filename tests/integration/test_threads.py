"""Several threads of a rank call MPI at once: only where MPI was started for it, and every byte arrives."""

import json

import pytest


@pytest.mark.parametrize("threads", [1, 3, 8])
def test_threads_move_every_part(any_engine, threads):
    outcome = any_engine.run(
        "motif", "threads", "--threads", str(threads), "--sizes", "24,48KiB", "-i", "20", "--repetitions", "2",
        "--verify", "--mpi-thread-multiple", "--json", ranks=3,
    )  # fmt: skip
    assert outcome.status == 0, outcome.text
    assert [row["size_bytes"] for row in json.loads(outcome.output)["rows"]] == [24, 49152]


def test_threads_are_refused_where_mpi_was_not_started_for_them(any_engine):
    outcome = any_engine.run("motif", "threads", "--threads", "2", ranks=2)
    assert outcome.status == 2
    assert "--threads: 2 that call MPI at once need MPI_THREAD_MULTIPLE" in outcome.text


def test_partitions_arrive_or_are_refused_by_an_older_mpi(any_engine):
    standard = any_engine.run("--version").output
    outcome = any_engine.run(
        "motif", "threads", "--threads", "2", "--call", "partitioned", "--sizes", "16,64KiB", "-i", "5", "--verify",
        "--mpi-thread-multiple", ranks=2,
    )  # fmt: skip
    if "MPI standard 3" in standard:
        assert outcome.status == 2
        assert "partitioned needs an MPI library of standard 4.0" in outcome.text
    else:
        assert outcome.status == 0, outcome.text
