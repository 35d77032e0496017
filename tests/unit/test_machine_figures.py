"""Figures of a machine from run files: values of rounds, their median, its interval, and percentiles."""

from pathlib import Path

import numpy as np
import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeStep, build_run

from stressbench.formats.machines import Better, Part, Unit
from stressbench.formats.run import Run, read_run
from stressbench.results.machine_figures import Measurement, NamedRun, Quantity, figure_of

BLOCKS = 12
EXACT = MadeMachine(noise=0.0, round_noise=0.0)


def named(tmp_path: Path, *steps: MadeStep, congestion: float = 1.0, seed: int = 1, machine=EXACT) -> NamedRun:
    job = MadeJob(name="job", steps=steps or (MadeStep(),), congestion=congestion)
    made = build_run(jobs=(job,), plan=MadePlan(blocks=BLOCKS, repetitions=3, extra=0), machine=machine, seed=seed)
    file = f"{seed}.jsonl"
    return NamedRun(file=file, run=read_run(made.write(tmp_path, file)))


def measurement(quantity: Quantity, *, step: int = 0, job: str = "job", metric: str | None = None) -> Measurement:
    return Measurement(
        name="some.figure", part=Part.latency, about="a figure", job=job, step=step, quantity=quantity, motif="motif",
        metric=metric,
    )  # fmt: skip


def test_a_time_is_the_median_over_the_rounds_of_all_runs(tmp_path: Path) -> None:
    noisy = MadeMachine(noise=0.05, round_noise=0.1)
    runs = [named(tmp_path, MadeStep(iterations=4, quantity_scale=0.5), seed=seed, machine=noisy) for seed in (1, 2)]

    figure = figure_of(measurement(Quantity.time), runs)

    assert figure is not None
    expected = [value for one in runs for value in medians_of_rounds(one.run)]
    assert figure.n == len(expected) == 2 * 2 * BLOCKS
    assert figure.value == pytest.approx(np.median(expected))
    assert figure.low is not None and figure.high is not None
    assert min(expected) < figure.low < figure.value < figure.high < max(expected)
    assert (figure.unit, figure.better, figure.sources) == (Unit.seconds, Better.less, ("1.jsonl", "2.jsonl"))
    assert (figure.ranks, figure.nodes) == (4, 2)


def medians_of_rounds(run: Run) -> list[float]:
    """Half the time of an iteration: 4 iterations per sample, a scale of 0.5, and one warm-up."""
    samples = run.samples_of(job=0, step=0)
    assert samples is not None
    measured = samples.repetition > 0
    return [
        float(np.median(samples.time_max_s[measured & (samples.round == number)] * 0.5 / 4))
        for number in np.unique(samples.round)
    ]  # fmt: skip


def test_percentiles_of_a_time_are_those_of_single_executions(tmp_path: Path) -> None:
    """Each round of a made run has 12 executions, of at most 1.005 times the time, in two buckets of 1 %."""
    figure = figure_of(measurement(Quantity.time), [named(tmp_path, MadeStep(time_s=1e-3))])

    assert figure is not None and figure.percentiles is not None
    assert (figure.percentiles.of, figure.percentiles.count) == ("executions", 12 * 2 * BLOCKS)
    assert (figure.value, figure.percentiles.p99) == (pytest.approx(1e-3), pytest.approx(1.005e-3))


def test_a_bandwidth_is_the_bytes_of_an_iteration_over_its_time(tmp_path: Path) -> None:
    step = MadeStep(time_s=2e-3, bandwidth_bytes=1_000_000, iterations=2)

    figure = figure_of(measurement(Quantity.bandwidth), [named(tmp_path, step)])

    assert figure is not None and figure.percentiles is not None
    assert figure.value == pytest.approx(1e9)
    assert figure.percentiles.p5 == pytest.approx(1e9)
    assert (figure.unit, figure.better) == (Unit.bytes_per_s, Better.more)


def test_a_metric_is_found_by_its_name(tmp_path: Path) -> None:
    step = MadeStep(metrics=(("b_eff_bytes_per_s", 5e8), ("other", 1.0)))

    figure = figure_of(measurement(Quantity.metric, metric="b_eff_bytes_per_s"), [named(tmp_path, step)])

    assert figure is not None
    assert figure.value == pytest.approx(5e8)


def test_an_impact_has_one_value_per_block_and_an_interval_around_it(tmp_path: Path) -> None:
    noisy = MadeMachine(noise=0.02, round_noise=0.05)
    runs = [named(tmp_path, MadeStep(), congestion=2.0, seed=seed, machine=noisy) for seed in (1, 2, 3)]

    figure = figure_of(measurement(Quantity.impact), runs)

    assert figure is not None and figure.low is not None and figure.high is not None
    assert figure.n == 3 * BLOCKS
    assert figure.low < 2.0 < figure.high < 2.2
    assert figure.unit is Unit.ratio


def test_the_difference_of_equal_rounds_is_their_noise(tmp_path: Path) -> None:
    equal = figure_of(measurement(Quantity.difference), [named(tmp_path)])
    noisy = figure_of(measurement(Quantity.difference), [named(tmp_path, machine=MadeMachine(round_noise=0.1))])

    assert equal is not None and noisy is not None
    assert equal.value == pytest.approx(0.0, abs=1e-12)
    assert 0.02 < noisy.value < 0.3


def test_a_tail_is_that_of_each_round(tmp_path: Path) -> None:
    """The 99th percentile lies in the second bucket, 1.015 on average, which the longest execution limits to 1.005."""
    figure = figure_of(measurement(Quantity.tail), [named(tmp_path)])

    assert figure is not None
    assert figure.value == pytest.approx(1.005 / 1.005)
    assert figure.n == 2 * BLOCKS


@pytest.mark.parametrize(
    "missing",
    [
        measurement(Quantity.time, job="another"),
        measurement(Quantity.metric, metric="unknown"),
        measurement(Quantity.bandwidth),
    ],
)
def test_there_is_no_figure_without_values(tmp_path: Path, missing: Measurement) -> None:
    assert figure_of(missing, [named(tmp_path)]) is None
    assert figure_of(missing, []) is None


def test_a_figure_of_few_rounds_has_no_interval(tmp_path: Path) -> None:
    made = build_run(jobs=(MadeJob(name="job"),), plan=MadePlan(blocks=2, repetitions=3))
    run = NamedRun(file="few.jsonl", run=read_run(made.write(tmp_path)))

    figure = figure_of(measurement(Quantity.time), [run])

    assert figure is not None
    assert (figure.n, figure.low, figure.high) == (4, None, None)
