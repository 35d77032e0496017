"""Congestion impact and spreads of a run."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import MadeJob, MadeMachine, MadePlan, MadeRun, MadeStep, build_run

from stressbench.formats.run import Kind, read_run
from stressbench.stats import Method, RoundMedian, congestion_impact, histograms_of, merge, summarise

QUIET = MadeMachine(noise=0, round_noise=0)


def rounds(isolated: list[float], contended: list[float]) -> list[RoundMedian]:
    """The k-th value of each kind stands in block k."""
    return [
        RoundMedian(round=0, launch=0, block=block, kind=kind, median_s=value)
        for kind, values in ((Kind.isolated, isolated), (Kind.contended, contended))
        for block, value in enumerate(values)
    ]


def test_the_impact_is_contended_over_isolated_time(tmp_path: Path) -> None:
    made = build_run(jobs=(MadeJob(name="hit", congestion=2.5), MadeJob(name="spared")), machine=QUIET)

    hit, spared = summarise(read_run(made.write(tmp_path))).jobs

    assert hit.timing.impact.ratio == pytest.approx(2.5)
    assert spared.timing.impact.ratio == pytest.approx(1.0)
    assert hit.timing.impact.paired_blocks == 10


def test_the_interval_holds_the_truth_and_drift_cancels(tmp_path: Path) -> None:
    made = build_run(jobs=(MadeJob(congestion=1.5),), machine=MadeMachine(drift=0.3), seed=4)

    impact = summarise(read_run(made.write(tmp_path))).jobs[0].timing.impact

    assert impact.low is not None
    assert impact.high is not None
    assert impact.low < 1.5 < impact.high
    assert impact.high - impact.low < 0.15


@given(
    values=st.lists(st.tuples(st.floats(0.1, 10), st.floats(0.1, 10)), min_size=6, max_size=20),
    scale=st.floats(1e-6, 1e3),
)
def test_the_impact_does_not_depend_on_the_unit_and_inverts_when_sides_swap(
    values: list[tuple[float, float]], scale: float
) -> None:
    isolated, contended = (list(side) for side in zip(*values, strict=True))

    one = congestion_impact(rounds(isolated, contended))
    scaled = congestion_impact(rounds([scale * v for v in isolated], [scale * v for v in contended]))
    swapped = congestion_impact(rounds(contended, isolated))

    assert one.low is not None
    assert one.ratio is not None
    assert one.low <= one.ratio * (1 + 1e-12)
    assert (scaled.ratio, scaled.low, scaled.high) == pytest.approx((one.ratio, one.low, one.high))
    assert swapped.ratio == pytest.approx(1 / one.ratio)
    assert swapped.high == pytest.approx(1 / one.low)


def test_five_blocks_give_a_ratio_and_say_why_there_is_no_interval() -> None:
    impact = congestion_impact(rounds([1.0] * 5, [2.0] * 5))

    assert (impact.ratio, impact.low, impact.high) == (2.0, None, None)
    assert impact.reason == "5 paired blocks: a 95 % interval needs at least 6"


def test_equal_times_give_an_interval_of_no_width() -> None:
    impact = congestion_impact(rounds([1.0] * 8, [2.0] * 8))

    assert (impact.low, impact.ratio, impact.high) == pytest.approx((2.0, 2.0, 2.0))


@pytest.mark.parametrize(
    ("isolated", "contended", "reason"),
    [
        ([], [1.0], "no isolated rounds"),
        ([1.0], [], "no contended rounds"),
        ([0.0] * 6, [1.0] * 6, "a round's median time is 0 s, below what the clock resolves"),
    ],
)
def test_a_ratio_that_cannot_be_is_explained(isolated: list[float], contended: list[float], reason: str) -> None:
    impact = congestion_impact(rounds(isolated, contended))

    assert impact.ratio is None
    assert impact.reason == reason


def test_rounds_alone_in_their_block_do_not_disturb_the_pairs() -> None:
    impact = congestion_impact(rounds([1.0] * 7, [2.0] * 7 + [50.0] * 9))

    assert impact.high == pytest.approx(2.0)
    assert impact.contended_alone == 9
    assert impact.method is Method.paired


def test_rounds_that_never_pair_serve_as_two_samples() -> None:
    apart = [replace(one, block=one.block + 100 * (one.kind is Kind.isolated)) for one in rounds([1.0] * 6, [3.0] * 6)]

    impact = congestion_impact(apart)

    assert impact.method is Method.unpaired
    assert (impact.low, impact.ratio) == pytest.approx((3.0, 3.0))


def test_a_block_number_of_another_launch_is_another_block() -> None:
    halves = [replace(one, launch=int(one.kind is Kind.isolated)) for one in rounds([1.0] * 6, [3.0] * 6)]

    assert congestion_impact(halves).paired_blocks == 0


def test_extra_repetitions_count_only_when_asked(tmp_path: Path) -> None:
    made = build_run(plan=MadePlan(blocks=6, repetitions=4, extra=3))
    run = read_run(made.write(tmp_path))

    plain, extra = (summarise(run, include_extra=asked).jobs[0].timing for asked in (False, True))

    assert plain.contended_s is not None
    assert extra.contended_s is not None
    assert extra.isolated_s is not None
    assert (plain.contended_s.count, extra.contended_s.count, extra.isolated_s.count) == (24, 42, 24)


def test_warm_up_never_counts(tmp_path: Path) -> None:
    made = build_run(machine=QUIET)
    for record in made.of("sample", phase="warmup"):
        record.update(time_max_s=100.0)

    spread = summarise(read_run(made.write(tmp_path))).jobs[0].timing.isolated_s

    assert spread is not None
    assert spread.max == pytest.approx(1e-3)


def test_a_background_job_has_contended_times_only(tmp_path: Path) -> None:
    made = build_run(jobs=(MadeJob(name="a"), MadeJob(name="noise", role="background")))

    timing = summarise(read_run(made.write(tmp_path))).jobs[1].timing

    assert timing.isolated_s is None
    assert timing.contended_s is not None
    assert timing.impact.ratio is None
    assert timing.impact.reason == "background job: it has no isolated rounds"


def test_a_step_is_told_per_iteration_in_its_own_quantity(tmp_path: Path) -> None:
    step = MadeStep(
        motif="pingpong", time_s=1e-3, executions=2, iterations=50, quantity="one-way latency", quantity_scale=0.5,
        bandwidth_bytes=1000, bandwidth_definition="bytes there and back",
    )  # fmt: skip
    made = build_run(jobs=(MadeJob(steps=(step,)),), machine=QUIET)

    found = summarise(read_run(made.write(tmp_path))).jobs[0].steps[0]

    assert found.timing.isolated_s is not None
    assert found.timing.isolated_s.median == pytest.approx(5e-6)
    assert found.isolated_bytes_per_s == pytest.approx(1000 / 1e-5)


def test_a_run_of_isolated_rounds_only_is_summarised(tmp_path: Path) -> None:
    made = build_run(plan=MadePlan(contended=0))

    timing = summarise(read_run(made.write(tmp_path))).jobs[0].timing

    assert timing.contended_s is None
    assert timing.impact.reason == "no contended rounds"


def test_a_run_without_any_round_is_summarised(tmp_path: Path) -> None:
    made = MadeRun(build_run().records[:3])

    timing = summarise(read_run(made.write(tmp_path))).jobs[0].timing

    assert timing.isolated_s is None
    assert timing.slowest is None


def test_what_a_motif_notes_itself_is_kept_apart_from_its_executions(tmp_path: Path) -> None:
    steps = (MadeStep(quantity="time", noted=("write transfer", "read transfer")),)
    run = read_run(build_run(jobs=(MadeJob(steps=steps),), plan=MadePlan(blocks=3)).write(tmp_path))

    executions = merge(histograms_of(run, job=0, step=0, kind=Kind.isolated))
    writes = merge(histograms_of(run, job=0, step=0, kind=Kind.isolated, quantity="write transfer"))

    assert executions is not None
    assert writes is not None
    assert (executions.count, writes.count) == (36, 36)
    assert executions.min_s == pytest.approx(1000 * writes.min_s)
    assert (executions.quantity, writes.quantity) == ("time", "write transfer")


def test_histograms_of_rounds_add_up(tmp_path: Path) -> None:
    run = read_run(build_run(plan=MadePlan(blocks=3)).write(tmp_path))

    merged = merge(histograms_of(run, job=0, step=0, kind=Kind.isolated))

    assert merged is not None
    assert merged.count == 36
    assert merged.counts.tolist() == [27, 9]
    assert merged.quantile_s(0.5) == pytest.approx(1e-3, rel=0.01)
    assert np.all(merged.lower_s < merged.upper_s)
