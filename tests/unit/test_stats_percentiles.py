"""Percentiles and tail impacts with intervals of order statistics."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from support.builders import MadeJob, MadePlan, build_run

from stressbench.formats.run import Histogram, read_run
from stressbench.stats import Source, select, summarise
from stressbench.stats.percentiles import (
    GroupedValues,
    _order_shares,
    grouped_executions,
    grouped_samples,
    percentile_of,
    tail_impact,
)


def one_round_each(values: np.ndarray) -> GroupedValues:
    """Every value in a round of its own: independent."""
    return grouped_samples(values, np.arange(len(values)))


@pytest.mark.parametrize(("count", "share"), [(6, 0.5), (20, 0.5), (73, 0.95), (368, 0.99), (40_000, 0.999)])
def test_the_bounds_are_those_of_the_binomial_distribution(count: int, share: float) -> None:
    low, high = _order_shares(count, share)

    assert low is not None
    assert high is not None
    inside = stats.binom.cdf(round(high * count) - 1, count, share) - stats.binom.cdf(
        round(low * count) - 1, count, share
    )
    assert 0.95 <= inside <= 0.985
    assert stats.binom.cdf(round(low * count), count, share) >= 0.025


@pytest.mark.parametrize("count", [10**9, 10**9 + 1, 2**31, 10**15])
@pytest.mark.parametrize("share", [0.5, 0.95, 0.999])
def test_the_bounds_of_as_many_values_as_a_run_file_may_have_are_found_without_listing_their_ranks(
    share: float, count: int
) -> None:
    low, high = _order_shares(count, share)

    assert low is not None
    assert high is not None
    deviation = (share * (1 - share) / count) ** 0.5
    assert (share - low) / deviation == pytest.approx(1.96, abs=0.01)
    assert (high - share) / deviation == pytest.approx(1.96, abs=0.01)


@pytest.mark.parametrize(("count", "share"), [(5, 0.5), (71, 0.95), (367, 0.99), (3687, 0.999)])
def test_too_few_values_give_no_upper_bound_and_say_how_many_would_do(count: int, share: float) -> None:
    found = percentile_of(one_round_each(np.arange(1.0, count + 1)), share)

    assert found is not None
    assert found.high_s is None
    assert f"{count} values" in (found.reason or "")
    assert f"at least {count + 1} independent ones" in (found.reason or "")


def test_a_percentile_interpolates_between_samples_and_its_bounds_are_samples() -> None:
    found = percentile_of(one_round_each(np.arange(1.0, 101)), 0.95)

    assert found is not None
    assert found.value_s == pytest.approx(95.05)
    assert (found.count, found.low_s, found.high_s) == (100, 90, 100)


def test_no_values_have_no_percentile() -> None:
    assert percentile_of(one_round_each(np.empty(0)), 0.5) is None


def in_rounds(rng: np.random.Generator, *, spread: float, rounds: int = 20, each: int = 100) -> GroupedValues:
    """Lognormal times whose level differs from round to round by `spread`."""
    levels = np.repeat(rng.normal(0, spread, rounds), each)
    return grouped_samples(np.exp(levels + rng.normal(0, 0.1, rounds * each)), np.repeat(np.arange(rounds), each))


@pytest.mark.parametrize(("spread", "share"), [(0.0, 0.5), (0.0, 0.99), (0.1, 0.5), (0.1, 0.95)])
def test_intervals_hold_the_truth_though_rounds_differ(spread: float, share: float) -> None:
    rng = np.random.default_rng(1)
    truth = np.exp(stats.norm.ppf(share) * np.hypot(spread, 0.1))

    found = [percentile_of(in_rounds(rng, spread=spread), share) for _ in range(400)]

    held = [one.low_s <= truth <= one.high_s for one in found if one and one.low_s and one.high_s]
    assert len(held) > 300
    assert 0.90 <= np.mean(held) <= 0.995


def test_values_of_rounds_that_differ_are_worth_fewer() -> None:
    rng = np.random.default_rng(2)

    alike, apart = (percentile_of(in_rounds(rng, spread=spread), 0.5) for spread in (0.0, 1.0))

    assert alike is not None
    assert apart is not None
    assert alike.independent > 800
    assert apart.independent < 60


def test_tail_impacts_hold_the_truth() -> None:
    rng = np.random.default_rng(3)

    found = [
        tail_impact(
            one_round_each(rng.lognormal(0, 0.3, 2000)), one_round_each(2 * rng.lognormal(0, 0.3, 2000)), 0.99,
            source=Source.samples,
        )
        for _ in range(300)
    ]  # fmt: skip

    held = [one.low <= 2 <= one.high for one in found if one.low and one.high]
    assert len(held) == 300
    assert 0.92 <= np.mean(held) <= 0.985


def histogram(round_: int, lower: list[float], counts: list[int]) -> Histogram:
    bounds = np.array(lower)
    return Histogram(
        round=round_, job=0, step=0, quantity="time", count=sum(counts), min_s=bounds[0], max_s=1.01 * bounds[-1],
        mean_s=1.0, lower_s=bounds, upper_s=1.01 * bounds, counts=np.array(counts),
    )  # fmt: skip


def test_percentiles_of_executions_come_from_the_merged_histograms() -> None:
    grouped = grouped_executions([histogram(1, [1.0, 2.0], [990, 10]), histogram(2, [1.0, 2.0], [980, 20])])

    assert grouped is not None
    middle, tail = percentile_of(grouped, 0.5), percentile_of(grouped, 0.99)
    assert middle is not None
    assert tail is not None
    assert (middle.value_s, tail.value_s) == pytest.approx((1.005, 2.01))
    assert middle.count == 2000


def test_a_run_tells_its_tails_and_why_some_have_no_interval(tmp_path: Path) -> None:
    made = build_run(jobs=(MadeJob(congestion=2.0),), plan=MadePlan(blocks=20, repetitions=30), histograms=False)

    timing = summarise(read_run(made.write(tmp_path))).jobs[0].timing

    median, p95, p99, p999 = timing.tails
    assert [tail.share for tail in timing.tails] == [0.5, 0.95, 0.99, 0.999]
    assert median.low is not None
    assert median.high is not None
    assert median.low < 2.0 < median.high
    assert p95.ratio == pytest.approx(2.0, rel=0.1)
    assert p99.ratio == pytest.approx(2.0, rel=0.1)
    assert p999.low is None
    assert "too few for the 0.999 quantile: at least 3688 independent ones" in (p999.reason or "")


def test_plain_ratios_are_the_quotients_of_other_tools(tmp_path: Path) -> None:
    run = read_run(build_run(jobs=(MadeJob(congestion=1.5),)).write(tmp_path))
    samples = select(run, job=0)
    timing = summarise(run).jobs[0].timing

    assert timing.ratios is not None
    assert timing.isolated_s is not None
    assert timing.contended_s is not None
    assert timing.ratios.min_to_min == timing.contended_s.min / timing.isolated_s.min
    assert timing.ratios.mean_to_mean == timing.contended_s.mean / timing.isolated_s.mean
    assert timing.ratios.median_to_median == np.median(samples.contended_s) / np.median(samples.isolated_s)


def test_one_sided_runs_say_which_side_is_missing(tmp_path: Path) -> None:
    timing = summarise(read_run(build_run(plan=MadePlan(contended=0)).write(tmp_path))).jobs[0].timing

    assert timing.ratios is None
    assert timing.tails[0].reason == "no contended samples"
    assert timing.tails[0].isolated is not None
