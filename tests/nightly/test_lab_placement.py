"""Where jobs stand decides which links they share, and so what they lose (StressBench, Table III, on a fat tree)."""

import pytest
from support.lab_bench import Bench, blocks, impacts, require_storage
from support.measured import at_least

from stressbench.stats import RunSummary

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


def test_jobs_side_by_side_share_no_link_and_lose_nothing(tinis, measured, few_samples) -> None:
    """Linear: each has two leaves of its own, and they meet in the root alone, which forwards all at full rate.

    5 %: the two jobs share the machine's cores, though no link.
    """
    found = tinis.run(WORKLOAD, "--place", "linear", *blocks(few_samples, repetitions=1))

    assert not used_by_both(found)
    measured.median("impact of alltoall, linear", impacts(found), expected=1, within=0.05)


def test_jobs_that_stand_among_each_other_share_uplinks_and_lose(tinis, measured, few_samples) -> None:
    """What goes to the I/O nodes leaves a leaf by the uplink that the other job's messages take."""
    found = tinis.run(WORKLOAD, "--place", "interleaved", *blocks(few_samples, repetitions=1))

    shared = used_by_both(found)
    assert shared
    assert all("root0" in link for link in shared)
    measured.bounded("impact of alltoall, interleaved", impacts(found), at_least(1.2))
