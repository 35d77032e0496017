"""How many more rounds: the planner's numbers against runs of that length."""

import numpy as np
import pytest

from stressbench.formats.run import Kind
from stressbench.stats import RoundMedian
from stressbench.stats.intervals import paired_interval
from stressbench.stats.planning import Plan, plan_of


def plan_for(log_ratios: np.ndarray, *, target: float) -> Plan:
    values = ((Kind.isolated, np.ones(len(log_ratios))), (Kind.contended, np.exp(log_ratios)))
    rounds = [
        RoundMedian(round=0, launch=0, block=block, kind=kind, median_s=float(value))
        for kind, column in values
        for block, value in enumerate(column)
    ]
    return plan_of(rounds, target=target)


def half_widths(rng: np.random.Generator, *, blocks: int) -> np.ndarray:
    found = [paired_interval(0.1 * row) for row in rng.standard_normal((200, blocks))]
    return np.array([(one.high - one.low) / 2 for one in found])  # type: ignore[operator]


@pytest.mark.parametrize("blocks", [10, 20])
def test_the_planned_number_gives_the_width_that_was_asked_for(blocks: int) -> None:
    rng = np.random.default_rng(blocks)
    plans = [plan_for(0.1 * row, target=0.04) for row in rng.standard_normal((200, blocks))]

    planned = round(
        float(np.median([plan.blocks + plan.more_blocks for plan in plans if plan.more_blocks is not None]))
    )

    assert np.median(half_widths(rng, blocks=planned)) == pytest.approx(np.log(1.04), rel=0.1)


def test_the_surer_number_is_enough_in_about_four_runs_of_five() -> None:
    rng = np.random.default_rng(3)
    needed = next(n for n in range(10, 100) if np.median(half_widths(rng, blocks=n)) <= np.log(1.04))

    plans = [plan_for(0.1 * row, target=0.04) for row in rng.standard_normal((400, 10))]

    enough = [plan.blocks + plan.more_blocks_sure >= needed for plan in plans if plan.more_blocks_sure is not None]
    assert len(enough) == 400
    assert 0.7 <= np.mean(enough) <= 0.9


def test_a_narrow_interval_needs_no_more() -> None:
    plan = plan_for(np.zeros(8), target=0.02)

    assert (plan.half_width, plan.more_blocks, plan.more_blocks_sure) == (0, 0, 0)


def test_five_blocks_plan_nothing_and_say_why() -> None:
    plan = plan_for(np.zeros(5), target=0.02)

    assert (plan.half_width, plan.more_blocks) == (None, None)
    assert plan.reason == "5 paired blocks: a 95 % interval needs at least 6"


def test_noise_beyond_any_number_of_rounds_is_told() -> None:
    plan = plan_for(np.array([-9.0, 9.0] * 5), target=0.001)

    assert plan.more_blocks is None
    assert plan.reason == "more than 100,000 blocks: reduce the noise first"


def test_dependent_blocks_need_more() -> None:
    waves = 0.1 * np.sin(np.arange(24) / 3)

    dependent, shuffled = (plan_for(one, target=0.02) for one in (waves, np.random.default_rng(4).permutation(waves)))

    assert dependent.more_blocks is not None
    assert shuffled.more_blocks is not None
    assert dependent.more_blocks > 3 * shuffled.more_blocks
