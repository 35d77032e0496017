"""Hosts of a lab with different numbers of cores, and jobs with different numbers of ranks on a node."""

from support.node_sizes import UNEQUAL, UNEQUAL_JOBS

from stressbench.formats.run import read_run


def test_hosts_of_a_lab_have_a_rank_for_each_core(lab_up) -> None:
    lab = lab_up("unequal", UNEQUAL)

    lab.run(UNEQUAL_JOBS, "--isolated", "1", "--contended", "1", "--repetitions", "2")

    run = read_run(lab.folder / "w.jsonl")
    assert [(node.host, node.ranks) for node in run.header.nodes] == [("h0", "0,1"), ("h1", "2"), ("h2", "3,4")]
    assert [(job.name, job.ranks) for job in run.jobs] == [("all_ranks", 3), ("one_rank", 1)]
    assert run.complete
