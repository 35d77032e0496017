"""Each warning is raised by what it is about, and a quiet run raises none."""

import json
from pathlib import Path

import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, MadeRun, MadeStep, build_run, end, fault

from stressbench.formats.run import read_run
from stressbench.stats import QualityWarning, summarise
from stressbench.stats.quality_warnings import run_warnings

TWO = (MadeJob(name="a"), MadeJob(name="b"))


def warnings(made: MadeRun, folder: Path) -> dict[str, QualityWarning]:
    return {warning.kind: warning for warning in summarise(read_run(made.write(folder))).warnings}


@pytest.mark.parametrize("seed", range(5))
def test_a_quiet_run_raises_none(seed: int, tmp_path: Path) -> None:
    assert warnings(build_run(jobs=TWO, seed=seed), tmp_path) == {}


def test_a_few_slow_samples_part_mean_and_median(tmp_path: Path) -> None:
    made = build_run(jobs=TWO)
    made.of("sample", job=1, step=None, phase="measured")[3].update(time_max_s=1.0)

    found = warnings(made, tmp_path)

    assert list(found) == ["mean_median"]
    assert found["mean_median"].job == "b"


def test_load_beyond_the_run_s_own_processes_is_told(tmp_path: Path) -> None:
    made = build_run(jobs=TWO)
    own = 4
    for record in made.of("round"):
        record["load_average"] = own + 1.0
    assert warnings(made, tmp_path) == {}
    made.of("round")[2]["load_average"] = own + 3.0

    assert "rose from 0.1 to 7.0" in warnings(made, tmp_path)["load_rose"].text


def test_drift_is_told_with_its_size(tmp_path: Path) -> None:
    made = build_run(jobs=TWO, machine=MadeMachine(trend=0.05))

    text = warnings(made, tmp_path)["drift"].text

    assert "isolated times rose by" in text
    assert "Kendall's tau +" in text


def test_noise_is_not_drift(tmp_path: Path) -> None:
    noisy = [build_run(plan=MadePlan(blocks=7), machine=MadeMachine(round_noise=0.3), seed=seed) for seed in range(10)]

    assert all("drift" not in warnings(made, tmp_path) for made in noisy)


def test_a_clock_too_coarse_is_told_for_the_step(tmp_path: Path) -> None:
    made = build_run(jobs=(MadeJob(steps=(MadeStep(time_s=1e-4, iterations=100, timer="iteration"),)),))

    assert "2% of one timed region" in warnings(made, tmp_path)["timer_resolution"].text


def test_one_timer_around_the_loop_is_fine_enough(tmp_path: Path) -> None:
    made = build_run(jobs=(MadeJob(steps=(MadeStep(time_s=1e-4, iterations=100, timer="loop"),)),))

    assert warnings(made, tmp_path) == {}


def test_an_incomplete_run_says_how_far_it_got(tmp_path: Path) -> None:
    made = build_run(jobs=TWO, complete=False)
    made.records = made.records[: made.records.index(made.of("round")[20]) + 1]

    assert "21 of 30 rounds are done, it has no end record" in warnings(made, tmp_path)["incomplete"].text


def test_an_interrupted_run_says_so(tmp_path: Path) -> None:
    made = build_run(jobs=TWO)
    made.records[-1] = end(rounds=30, complete=False, reason="interrupted")

    assert "it ended early (interrupted)" in warnings(made, tmp_path)["incomplete"].text


def test_the_first_fault_of_a_launch_is_told(tmp_path: Path) -> None:
    path = build_run(complete=False).write(tmp_path)
    faults = (fault(rank=1, host="a1", job=0, motif="halo2d", round=7, cause="ended by SIGKILL"), fault(rank=2))
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in faults)

    (reported,) = [one.text for one in run_warnings(read_run(path)) if one.kind == "fault"]

    where = f"rank 1 on host a1, job {read_run(path).jobs[0].name}, motif halo2d, round 7"
    assert reported == f"the run ended with a fault: {where}: ended by SIGKILL (and 1 more)"


def test_too_few_blocks_are_told(tmp_path: Path) -> None:
    found = warnings(build_run(jobs=TWO, plan=MadePlan(blocks=5)), tmp_path)

    assert "5 paired blocks" in found["too_few_blocks"].text


def test_rounds_alone_in_their_block_are_told(tmp_path: Path) -> None:
    found = warnings(build_run(plan=MadePlan(blocks=10, isolated=7)), tmp_path)

    assert "0 isolated and 3 contended rounds are unpaired" in found["unpaired_rounds"].text


def test_a_host_that_is_always_last_is_named(tmp_path: Path) -> None:
    found = warnings(build_run(jobs=(MadeJob(slow_host="a2"), MadeJob(name="b"))), tmp_path)

    assert found["slowest_host"].text.startswith("host a2 was slowest in 100%")


def test_a_job_on_one_host_has_no_slow_host(tmp_path: Path) -> None:
    assert warnings(build_run(jobs=(MadeJob(slow_host="a1", nodes="0"),)), tmp_path) == {}


def test_sustain_without_extra_repetitions_is_told(tmp_path: Path) -> None:
    assert list(warnings(build_run(jobs=TWO, plan=MadePlan(extra=0)), tmp_path)) == ["sustain_no_extra"]
    assert warnings(build_run(jobs=TWO, plan=MadePlan(finish="once")), tmp_path) == {}


def test_a_slow_first_repetition_asks_for_more_warm_up(tmp_path: Path) -> None:
    made = build_run(jobs=TWO)
    for record in made.of("sample", job=0, step=None, repetition=1):
        record.update(time_max_s=1.5 * record["time_max_s"])

    found = warnings(made, tmp_path)

    assert found["short_warmup"].job == "a"
    assert "more --warmup would help" in found["short_warmup"].text
