"""The trend of a series, against scipy."""

import numpy as np
import pytest
from scipy import stats

from stressbench.stats.trend import trend_of


@pytest.mark.parametrize("count", [5, 12, 40])
@pytest.mark.parametrize("slope", [0.0, 0.2, -0.5])
def test_the_trend_agrees_with_scipy(count: int, slope: float) -> None:
    order = np.arange(count)
    values = np.random.default_rng(count).normal(slope * order, 1.0)

    found = trend_of(values)

    kendall = stats.kendalltau(order, values)
    assert found.tau == pytest.approx(kendall.statistic)
    assert found.p == pytest.approx(kendall.pvalue, abs=0.03)
    assert found.change == pytest.approx(stats.theilslopes(values, order).slope * (count - 1))


def test_equal_values_have_no_trend() -> None:
    found = trend_of(np.ones(9))

    assert (found.tau, found.change) == (0, 0)
    assert found.p == pytest.approx(1)


def test_a_long_series_is_told_by_a_part_of_it_with_its_whole_change() -> None:
    order = np.arange(7001)

    found = trend_of(np.random.default_rng(2).normal(0.001 * order, 1.0))

    assert found.p < 1e-6
    assert found.change == pytest.approx(7, rel=0.1)
