"""Many ranks on this machine: eight jobs start, run and end, and what a rank needs does not grow with their number."""

import os
import subprocess
from pathlib import Path

import pytest

from stressbench.formats.run import read_run

MIB = 2**20
GROWTH_BYTES, RANK_0_GROWTH_BYTES = 4 * MIB, 8 * MIB
"""From 16 to 128 ranks. Of rank 0, Open MPI's mailboxes of peers on the same host take 5 MiB: as much in a program that
only gathers from all ranks and scatters to them."""


@pytest.fixture(scope="module")
def memory_of(engine, benchmark, tmp_path_factory):
    """Peak memory of the ranks of a launch of 8 different jobs."""
    scale = benchmark("scale")

    def measured(ranks: int):
        folder = tmp_path_factory.mktemp(f"ranks{ranks}")
        options = ("--isolated", "1", "--contended", "1")
        run, _, _ = scale.launch(engine.program, folder, scale.MIXED, ranks, *options)
        read = read_run(run)
        assert read.complete
        assert len(read.rounds) == 8  # the last job is a congestor
        assert read.end is not None
        assert read.end.memory is not None
        return read.end.memory

    return measured


def test_the_memory_of_a_rank_does_not_grow_with_the_ranks(memory_of) -> None:
    few, many = memory_of(16), memory_of(128)

    assert many.mean_bytes < few.mean_bytes + GROWTH_BYTES
    assert many.rank0_bytes < few.rank0_bytes + RANK_0_GROWTH_BYTES


def test_the_grid_of_a_million_ranks_is_searched_once_and_not_for_each_rank(
    engine, tmp_path, measured, samples
) -> None:
    """Processor time of `describe` without a grid over that with one: the search takes a thousand divisions."""

    def cpu_s(motif: str) -> float:
        path: Path = tmp_path / "described.sb"
        path.write_text(f"[JOB_NAME] a\n[NODES] 65536\n[MOTIF] {motif}\n", encoding="utf-8")
        command = engine.command("describe", path, "--nodes", "65536", "--ranks-per-node", "16")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_utime + usage.ru_stime

    found = [[cpu_s(f"tealeaf {grid}") for grid in ("", "--grid 1024x1024")] for _ in range(samples)]

    measured.median("searched / given", [searched / given for searched, given in found], expected=1, within=0.25)
