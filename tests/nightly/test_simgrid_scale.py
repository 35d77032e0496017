"""What the engine does for a round, besides the motifs, takes time with the logarithm of the ranks: in a simulation."""

import pytest
from support.simulator import ENGINE

ROUNDS = 5
RANKS = (16, 64, 256)
"""Each four times as many as the one before: a logarithm grows by the same each time, a straight line by four times."""


def test_an_empty_round_grows_with_the_logarithm_of_the_ranks(benchmark, simulator) -> None:
    """Virtual time has no other load: the second step may be twice the first one, and not four times."""
    few, more, many = (benchmark("scale").simulate(ENGINE, ranks, ROUNDS).round_s for ranks in RANKS)

    assert 0 < few <= more <= many
    assert many - more < 2 * max(more - few, few / 10)
