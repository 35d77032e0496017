"""Medians of rounds, worked out by hand."""

import numpy as np

from stressbench.stats.distribution import medians_by_round


def test_the_median_of_an_even_number_lies_between_its_two_middle_ones() -> None:
    values = np.array([4.0, 9.0, 1.0, 3.0, 2.0, 7.0])
    rounds = np.array([5, 6, 5, 5, 5, 2])

    numbers, medians = medians_by_round(values, rounds)

    assert numbers.tolist() == [2, 5, 6]
    assert medians.tolist() == [7.0, 2.5, 9.0]
