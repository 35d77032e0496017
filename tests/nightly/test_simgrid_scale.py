"""Many ranks, and nodes of different sizes, in a simulation."""

from support.node_sizes import UNEQUAL, UNEQUAL_JOBS
from support.simulator import ENGINE

ROUNDS = 5
RANKS = (16, 64, 256)
"""Each four times as many as the one before: a logarithm grows by the same each time, a straight line by four times."""


def test_an_empty_round_grows_with_the_logarithm_of_the_ranks(benchmark, simulator) -> None:
    """Virtual time has no other load: the second step may be twice the first one, and not four times."""
    few, more, many = (benchmark("scale").simulate(ENGINE, ranks, ROUNDS).round_s for ranks in RANKS)

    assert 0 < few <= more <= many
    assert many - more < 2 * max(more - few, few / 10)


def test_nodes_and_jobs_have_different_numbers_of_ranks(simulator) -> None:
    run = simulator.run(UNEQUAL_JOBS, simulator.lab("unequal", UNEQUAL), "--isolated", "1", "--contended", "1")

    assert [(node.cores, node.ranks) for node in run.header.nodes] == [(2, "0,1"), (1, "2"), (2, "3,4")]
    assert [(job.name, job.ranks) for job in run.jobs] == [("all_ranks", 3), ("one_rank", 1)]
    assert run.complete
