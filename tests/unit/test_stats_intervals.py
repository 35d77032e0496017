"""Rank intervals: against printed tables, and their coverage by simulation."""

from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from stressbench.stats import intervals
from stressbench.stats.intervals import (
    MIN_PAIRS,
    Interval,
    _mann_whitney_depth,
    _wilcoxon_depth,
    paired_interval,
    unpaired_interval,
)

RUNS = 4000


@pytest.mark.parametrize(("pairs", "critical"), [(5, -1), (6, 0), (8, 3), (10, 8), (12, 13), (20, 52), (50, 434)])
def test_wilcoxon_depths_match_the_printed_critical_values(pairs: int, critical: int) -> None:
    assert _wilcoxon_depth(pairs) == critical + 1


@pytest.mark.parametrize(
    ("n", "m", "critical"), [(3, 4, -1), (4, 4, 0), (5, 5, 2), (5, 8, 6), (10, 10, 23), (20, 20, 127)]
)
def test_mann_whitney_depths_match_the_printed_critical_values(n: int, m: int, critical: int) -> None:
    assert _mann_whitney_depth(n, m) == _mann_whitney_depth(m, n) == critical + 1


@pytest.mark.parametrize(("n", "m", "critical"), [(5, 5, 0), (8, 8, 7), (10, 10, 16), (20, 20, 105)])
def test_mann_whitney_depths_of_99_percent_match_the_printed_critical_values(n: int, m: int, critical: int) -> None:
    assert _mann_whitney_depth(n, m, tail=0.005) == critical + 1


def test_depths_follow_from_counting_every_outcome() -> None:
    signed = sorted(sum(r for r, s in zip(range(1, 9), signs, strict=True) if s) for signs in product((0, 1), repeat=8))
    shifted = sorted(sum(chosen) - 10 for chosen in combinations(range(1, 10), 4))

    assert _wilcoxon_depth(8) == _deepest(signed)
    assert _mann_whitney_depth(4, 5) == _deepest(shifted)


def _deepest(outcomes: list[int]) -> int:
    return max(k for k in range(20) if sum(value < k for value in outcomes) <= 0.025 * len(outcomes))


def test_large_samples_agree_with_the_exact_count_where_both_apply() -> None:
    exact = _wilcoxon_depth(100)
    mean, variance = 100 * 101 / 4, 100 * 101 * 201 / 24

    assert exact == pytest.approx(mean - 1.96 * variance**0.5, abs=2)
    assert _wilcoxon_depth(101) > exact
    assert _mann_whitney_depth(50, 51) > _mann_whitney_depth(50, 50)


def test_six_pairs_are_the_fewest_that_give_an_interval() -> None:
    values = np.arange(MIN_PAIRS, dtype=float)

    assert paired_interval(values).low == 0
    assert paired_interval(values[1:]).low is None
    assert paired_interval(values[1:]).centre == 3


def test_equal_differences_give_a_point() -> None:
    interval = paired_interval(np.zeros(10))

    assert (interval.low, interval.centre, interval.high) == (0, 0, 0)


def test_a_known_shift_lies_within() -> None:
    first = np.arange(10.0)

    interval = unpaired_interval(first, first + 100)

    assert interval.centre == 100
    assert interval.low is not None
    assert interval.high is not None
    assert interval.low < 100 < interval.high


def _noise(kind: str, rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    if kind == "lognormal":
        return 0.05 * rng.standard_normal(shape)
    if kind == "student":
        return 0.03 * rng.standard_t(2, shape)
    return np.where(rng.random(shape) < 0.1, np.log(2 + rng.exponential(1, shape)), 0.03 * rng.standard_normal(shape))


@pytest.mark.parametrize("kind", ["lognormal", "student", "spikes"])
@pytest.mark.parametrize("blocks", [8, 10, 20])
def test_nineteen_of_twenty_intervals_hold_one_when_nothing_differs(kind: str, blocks: int) -> None:
    rng = np.random.default_rng(blocks)
    drift = np.cumsum(rng.normal(0, 0.05, (RUNS, blocks)), axis=1)
    isolated, contended = (drift + _noise(kind, rng, (RUNS, blocks)) for _ in range(2))

    found = [paired_interval(row) for row in contended - isolated]

    share = np.mean([one.low <= 0 <= one.high for one in found])  # type: ignore[operator]
    assert 0.94 <= share <= 0.97


@pytest.mark.parametrize(("n", "m"), [(8, 8), (10, 20)])
def test_unpaired_intervals_hold_too(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    first, second = _noise("student", rng, (RUNS, n)), _noise("student", rng, (RUNS, m))

    found = [unpaired_interval(a, b) for a, b in zip(first, second, strict=True)]

    share = np.mean([one.low <= 0 <= one.high for one in found])  # type: ignore[operator]
    assert 0.94 <= share <= 0.97


def test_the_bootstrap_that_was_not_chosen_misses_more_often() -> None:
    rng = np.random.default_rng(3)
    blocks, runs = 10, 300
    drift = np.cumsum(rng.normal(0, 0.05, (runs, blocks)), axis=1)
    isolated, contended = (drift + _noise("student", rng, (runs, blocks)) for _ in range(2))

    def difference(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        return np.median(b, axis=axis) - np.median(a, axis=axis)

    found = [
        stats.bootstrap(pair, difference, paired=True, method="BCa", n_resamples=499, rng=rng).confidence_interval
        for pair in zip(isolated, contended, strict=True)
    ]

    assert np.mean([one.low <= 0 <= one.high for one in found]) < 0.93


def test_of_many_values_the_same_interval_is_found_without_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = np.random.default_rng(3).lognormal(sigma=0.2, size=(2, 301))
    every = paired_interval(first), unpaired_interval(first, second)

    monkeypatch.setattr(intervals, "_MAX_SORTED_MEANS", 10)
    monkeypatch.setattr(intervals, "_MAX_SORTED_DIFFERENCES", 10)
    selected = paired_interval(first), unpaired_interval(first, second)

    for found, expected in zip(selected, every, strict=True):
        assert (found.centre, found.low, found.high) == pytest.approx((expected.centre, expected.low, expected.high))


def test_many_equal_values_have_an_interval_without_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intervals, "_MAX_SORTED_MEANS", 10)

    assert paired_interval(np.full(40, 1.5)) == Interval(centre=1.5, low=1.5, high=1.5)
