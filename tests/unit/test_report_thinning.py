"""Fewer points of many, and the outermost among them."""

import numpy as np
import pytest

from stressbench.report.thinning import extreme_indices


def test_few_values_are_all_kept() -> None:
    assert extreme_indices(np.array([3.0, 1.0, 2.0]), max_count=3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("count", [101, 5000])
def test_many_are_bounded_in_order_and_keep_their_extremes(count: int) -> None:
    values = np.random.default_rng(1).normal(size=count)

    kept = extreme_indices(values, max_count=100)

    assert len(kept) <= 100
    assert np.all(np.diff(kept) > 0)
    assert {int(values.argmin()), int(values.argmax())} <= set(kept.tolist())


def test_a_disturbance_of_one_round_among_many_stays_visible() -> None:
    values = np.ones(10_000)
    values[6789] = 5.0

    assert 6789 in extreme_indices(values, max_count=20)
