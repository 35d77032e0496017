"""What the intervals of the congestion impact cover; benchmarks/coverage.py measures more of it."""

from functools import partial

import numpy as np
import pytest

from stressbench.formats.run import Kind
from stressbench.stats import IntervalMethod, Method, RoundMedian, congestion_impact
from stressbench.stats.dependence import dependence_of
from stressbench.stats.intervals import bootstrap_interval, paired_interval, widen_interval

RUNS = 1500


def rounds(isolated: list[float], contended: list[float]) -> list[RoundMedian]:
    """The k-th value of each kind stands in block k."""
    return [
        RoundMedian(round=0, launch=0, block=block, kind=kind, median_s=value)
        for kind, values in ((Kind.isolated, isolated), (Kind.contended, contended))
        for block, value in enumerate(values)
    ]


def pareto(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return np.log1p(0.1 * rng.pareto(2, shape))


def student(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return 0.05 * rng.standard_t(3, shape)


def autocorrelated(rng: np.random.Generator, shape: tuple[int, int], *, correlation: float) -> np.ndarray:
    values = rng.standard_normal(shape)
    for block in range(1, shape[1]):
        values[:, block] = correlation * values[:, block - 1] + (1 - correlation**2) ** 0.5 * values[:, block]
    return 0.1 * values


def default_covers(differences: np.ndarray) -> float:
    """Share of the default's intervals that hold no difference."""
    held = 0
    for row in differences:
        dependence = dependence_of(row)
        found = widen_interval(paired_interval(row), dependence.factor if dependence else 1.0)
        held += found.low <= 0 <= found.high  # type: ignore[operator]
    return held / len(differences)


@pytest.mark.parametrize("noise", [pareto, student, np.random.Generator.standard_normal])
@pytest.mark.parametrize(("blocks", "least", "most"), [(6, 0.955, 0.982), (10, 0.93, 0.97), (20, 0.93, 0.97)])
def test_the_default_holds_what_it_promises_for_independent_blocks(noise, blocks, least, most) -> None:
    rng = np.random.default_rng(blocks)

    share = default_covers(noise(rng, (RUNS, blocks)) - noise(rng, (RUNS, blocks)))

    assert least <= share <= most


def test_widening_mends_most_of_what_dependent_blocks_break() -> None:
    noise = partial(autocorrelated, correlation=0.6)
    rng = np.random.default_rng(5)
    differences = noise(rng, (600, 50)) - noise(rng, (600, 50))

    plain = np.mean([one.low <= 0 <= one.high for one in map(paired_interval, differences)])  # type: ignore[operator]

    assert plain < 0.75
    assert default_covers(differences) > 0.88


def test_independent_blocks_are_seldom_called_dependent() -> None:
    rng = np.random.default_rng(6)

    for noise in (pareto, student):
        found = [dependence_of(row) for row in noise(rng, (1000, 12))]
        assert np.mean([one.present for one in found if one]) < 0.05


def test_dependent_blocks_are_found_and_measured() -> None:
    rng = np.random.default_rng(7)

    found = [dependence_of(row) for row in autocorrelated(rng, (200, 50), correlation=0.6)]

    assert np.mean([one.present for one in found if one]) > 0.9
    assert np.median([one.lag1 for one in found if one]) == pytest.approx(0.6, abs=0.07)


@pytest.mark.parametrize("values", [np.arange(9.0), np.ones(30)])
def test_too_few_or_equal_values_tell_nothing_of_dependence(values: np.ndarray) -> None:
    assert dependence_of(values) is None


def test_an_impact_of_dependent_blocks_says_how_far_it_was_widened() -> None:
    ratios = np.exp(np.sin(np.arange(24) / 3) * 0.1).tolist()

    impact = congestion_impact(rounds([1.0] * 24, ratios))

    plain = paired_interval(np.log(ratios))
    assert impact.autocorrelation == pytest.approx(0.9, abs=0.1)
    assert impact.widened_by > 2
    assert plain.high is not None
    assert np.log(impact.high / impact.ratio) == pytest.approx(impact.widened_by * (plain.high - plain.centre))


def test_the_bootstrap_is_that_of_the_ratio_of_medians_and_repeats() -> None:
    rng = np.random.default_rng(8)
    isolated, contended = rng.lognormal(0, 0.1, 15).tolist(), rng.lognormal(0.5, 0.1, 15).tolist()

    first, second = (congestion_impact(rounds(isolated, contended), interval=IntervalMethod.bootstrap) for _ in "ab")

    assert first == second
    assert first.method is Method.bootstrap
    assert first.ratio == pytest.approx(first.ratio_of_medians)
    assert first.low < np.exp(0.5) < first.high


def test_the_bootstrap_of_equal_times_has_no_width_and_of_five_blocks_no_interval() -> None:
    equal = bootstrap_interval(np.ones(8), 2 * np.ones(8))
    few = congestion_impact(rounds([1.0] * 5, [2.0] * 5), interval=IntervalMethod.bootstrap)

    assert (equal.low, equal.high) == pytest.approx((np.log(2), np.log(2)))
    assert few.low is None
    assert few.reason == "5 paired blocks: a 95 % interval needs at least 6"


def test_a_short_series_does_not_hide_how_dependent_it_is() -> None:
    rng = np.random.default_rng(9)

    found = [dependence_of(row) for row in autocorrelated(rng, (1000, 14), correlation=0.4)]

    assert np.mean([one.lag1 for one in found if one]) == pytest.approx(0.4, abs=0.07)


def test_the_bootstrap_draws_whole_blocks() -> None:
    rng = np.random.default_rng(10)
    levels = np.exp(np.linspace(0, 2, 21))

    found = bootstrap_interval(levels, 1.5 * levels * rng.lognormal(0, 0.01, 21))

    assert found.low is not None
    assert found.high is not None
    assert np.log(1.5) - 0.1 < found.low < found.high < np.log(1.5) + 0.1
