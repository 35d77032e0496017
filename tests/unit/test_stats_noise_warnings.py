"""Doubts about scatter: each fires where it should, and seldom where it should not."""

from pathlib import Path

import numpy as np
import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeRun, build_run

from stressbench.formats.run import Kind, read_run
from stressbench.stats import QualityWarning, RoundMedian, summarise
from stressbench.stats.modes import modes_of
from stressbench.stats.noise_warnings import outlier_warnings
from stressbench.stats.trend import trend_of


def warnings(made: MadeRun, folder: Path) -> dict[str, QualityWarning]:
    return {warning.kind: warning for warning in summarise(read_run(made.write(folder))).warnings}


def of_kind(values: np.ndarray) -> list[RoundMedian]:
    return [
        RoundMedian(round=number, launch=0, block=number, kind=Kind.isolated, median_s=float(value))
        for number, value in enumerate(values)
    ]


def scale(made: MadeRun, factor: float, /, **wanted: object) -> None:
    for record in made.of("sample", **wanted):
        record.update({key: factor * record[key] for key in ("time_min_s", "time_mean_s", "time_max_s")})


def test_a_round_far_out_is_named_with_its_distance(tmp_path: Path) -> None:
    made = build_run(plan=MadePlan(blocks=12))
    isolated = [record["round"] for record in made.of("round", kind="isolated")]
    scale(made, 3.0, round=isolated[4])

    text = warnings(made, tmp_path)["outliers"].text

    assert text.startswith(f"1 of 12 isolated rounds lie far from the others (round {isolated[4]})")
    assert "the farthest at 3.0" in text or "the farthest at 2.9" in text


@pytest.mark.parametrize("blocks", [8, 10, 20, 50])
def test_ordinary_noise_seldom_has_outliers(blocks: int) -> None:
    rng = np.random.default_rng(blocks)

    fired = [any(outlier_warnings(of_kind(row), job="a")) for row in rng.lognormal(0, 0.1, (1000, blocks))]

    assert np.mean(fired) < 0.025  # two kinds of round are looked at


def test_samples_in_two_groups_are_told(tmp_path: Path) -> None:
    made = build_run(plan=MadePlan(blocks=8, repetitions=20))
    for repetition in range(3, 21, 3):
        scale(made, 1.5, repetition=repetition)

    text = warnings(made, tmp_path)["bimodality"].text

    assert "30% of 160 samples at 1." in text


NOISES = {
    "normal": lambda rng, n: np.exp(0.2 * rng.standard_normal(n)),
    "student": lambda rng, n: np.exp(0.1 * rng.standard_t(3, n)),
    "exponential": lambda rng, n: 1 + rng.exponential(0.5, n),
    "pareto": lambda rng, n: 1 + 0.3 * rng.pareto(2, n),
    "uniform": lambda rng, n: rng.uniform(1, 2, n),
}


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("count", [60, 200, 1000])
def test_one_group_is_seldom_taken_for_two(noise: str, count: int) -> None:
    rng = np.random.default_rng(count)

    fired = [modes_of(NOISES[noise](rng, count)) is not None for _ in range(400)]

    assert np.mean(fired) < 0.025


def test_two_groups_are_measured_and_too_few_values_are_not() -> None:
    rng = np.random.default_rng(1)
    values = np.where(rng.random(200) < 0.3, 1.4, 1.0) * rng.lognormal(0, 0.02, 200)

    found = modes_of(values)

    assert found is not None
    assert found.separation == pytest.approx(1.4, rel=0.02)
    assert found.upper_share == pytest.approx(0.3, abs=0.07)
    assert modes_of(values[:59]) is None
    assert modes_of(values**0.1) is None  # 3 % apart


def test_blocks_that_resemble_their_neighbours_are_told(tmp_path: Path) -> None:
    made = build_run(plan=MadePlan(blocks=24))
    for record in made.of("round", kind="contended"):
        scale(made, float(np.exp(0.2 * np.sin(record["block"] / 3))), round=record["round"])

    text = warnings(made, tmp_path)["autocorrelation"].text

    assert "lag-1 autocorrelation 0.9" in text
    assert "over 24 blocks" in text


def test_a_quiet_run_of_many_rounds_raises_none(tmp_path: Path) -> None:
    quiet = [
        build_run(jobs=(MadeJob(),), plan=MadePlan(blocks=20, repetitions=10), histograms=False, seed=seed)
        for seed in range(10)
    ]

    assert sum(bool(warnings(made, tmp_path)) for made in quiet) <= 1


def test_drift_and_a_late_warm_up_are_seldom_seen_in_noise(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    machine = MadeMachine(noise=0.1, round_noise=0.1)

    trends = [trend_of(row) for row in rng.standard_normal((1000, 10))]
    runs = [build_run(machine=machine, plan=MadePlan(blocks=6), seed=s, histograms=False) for s in range(40)]

    assert np.mean([trend.p < 0.01 for trend in trends]) < 0.02
    assert sum("short_warmup" in warnings(made, tmp_path) for made in runs) <= 2
