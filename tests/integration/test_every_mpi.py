"""What must work under each MPI: a motif of each family, its bytes verified, and the tracer. CI adds MPICH to it."""

import json

import pytest

RANKS = 2  # MPICH's ranks spin while they wait
ONE_OF_EACH = {
    "point_to_point": "pingpong --sizes 8,64KiB",
    "collective": "allreduce --sizes 8,64KiB",
    "application": "halo2d -x 64 -y 64",
    "storage": "mpiio -s 64KiB -t 4KiB -f file",
    "machine_learning": "data_parallel --parameters 100000 --layers 4 --compute off",
    "probe": "all_pairs --sizes 64",
    "suite": "b_eff --rings 1 --polygons 0 --sizes 64 --loops 1 --best-of 1",
}


def test_each_family_has_a_motif_here(any_engine):
    listed = json.loads(any_engine.run("list", "--json").output)

    assert {motif["family"] for motif in listed} == set(ONE_OF_EACH)


@pytest.mark.parametrize("family", ONE_OF_EACH)
def test_a_motif_of_each_family_runs_and_its_bytes_arrive(any_engine, tmp_path, family):
    words = ("motif", *ONE_OF_EACH[family].split(), "--repetitions", "2", "--verify", "--json")

    done = any_engine.run(*words, ranks=RANKS, cwd=tmp_path)

    assert done.status == 0, done.text
    assert json.loads(done.output)["rows"]


def test_a_program_is_captured_whole(traced, patterns):
    run = traced([patterns, "cg", "7"], ranks=RANKS)

    assert run.status == 0, run.text
    assert run.lines[-1]["complete"]
    assert run.total("Allreduce") == 7 * RANKS
