"""Where jobs stand decides which links they share, and so what they lose (StressBench, Table III, on a fat tree)."""

import pytest
from support.lab_bench import Bench, require_storage, settled

from stressbench.analysis import RunSummary

WORKLOAD = """
[JOB_NAME] alltoall
[NODES] 8
[MIN_TIME] 2s
[MOTIF] alltoall -s 8KiB -i 50

[JOB_NAME] writer
[NODES] 8
[MIN_TIME] 2s
[MOTIF] mpiio -s 256KiB -f ${SCRATCH}/study -n MPI_File_write_all
"""
ROUNDS = ("--isolated", "2", "--contended", "2", "--repetitions", "1")


@pytest.fixture
def tinis(lab_up) -> Bench:
    """At a fifth of its rates, which two cores can fill with both jobs at work."""
    require_storage()
    bench = lab_up("tinis")
    bench.set("all", "rate=1/5")
    return bench


def used_by_both(found: RunSummary) -> set[str]:
    """Links that each job alone fills by more than a hundredth."""
    return {
        use.link
        for use in found.links
        if len(use.isolated) == len(found.jobs) and all((job.use or 0) > 0.01 for job in use.isolated)
    }


def impact(found: RunSummary) -> float:
    ratio = found.jobs[0].timing.impact.ratio
    assert ratio is not None
    return ratio


def test_jobs_side_by_side_share_no_link_and_lose_nothing(tinis) -> None:
    """Linear: each has two leaves of its own, and they meet in the root alone, which forwards all at full rate."""
    found: list[RunSummary] = []

    def placed() -> float:
        found.append(tinis.run(WORKLOAD, "--place", "linear", *ROUNDS))
        return impact(found[-1])

    assert settled(placed, expected=1, within=0.05) == pytest.approx(1, abs=0.05)
    assert not used_by_both(found[-1])


def test_jobs_that_stand_among_each_other_share_uplinks_and_lose(tinis) -> None:
    """What goes to the I/O nodes leaves a leaf by the uplink that the other job's messages take."""
    found = tinis.run(WORKLOAD, "--place", "interleaved", *ROUNDS)

    assert impact(found) > 1.2
    shared = used_by_both(found)
    assert shared
    assert all("root0" in link for link in shared)
