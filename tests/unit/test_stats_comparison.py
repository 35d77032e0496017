"""Two runs of one workload: slower, faster, no difference, cannot tell."""

import json
from pathlib import Path

import numpy as np
import pytest
from support.builders import MadeJob, MadeMachine, MadePlan, build_run

from stressbench.formats.run import Run, read_run
from stressbench.stats import Change, Comparison, ComparisonError, Quantity, Verdict, compare
from stressbench.stats.comparison import superiority_of, verdict_of


def run_of(folder: Path, file: str, /, *, time_s: float = 1.0, blocks: int = 10, seed: int = 1, **job: object) -> Run:
    """A run of one job; `time_s` scales every time of it."""
    made = build_run(
        jobs=(MadeJob(**job),), plan=MadePlan(blocks=blocks), seed=seed, machine=MadeMachine(round_noise=0.005)
    )  # type: ignore[arg-type]
    for record in made.of("sample"):
        record.update({key: time_s * record[key] for key in ("time_min_s", "time_mean_s", "time_max_s")})
    return read_run(made.write(folder, f"{file}.jsonl"))


def change(comparison: Comparison, quantity: Quantity) -> Change:
    return next(found for found in comparison.jobs[0].changes if found.quantity is quantity)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (1.03, 1.10, Verdict.slower),
        (1.02, 1.10, Verdict.inconclusive),
        (0.90, 0.97, Verdict.faster),
        (0.90, 0.99, Verdict.inconclusive),
        (0.985, 1.015, Verdict.no_difference),
        (0.97, 1.10, Verdict.inconclusive),
        (None, None, Verdict.inconclusive),
    ],
)
def test_the_verdict_follows_from_interval_and_effect(low: float, high: float, verdict: Verdict) -> None:
    assert verdict_of(low=low, high=high, effect=0.02) is verdict


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.2, Verdict.slower), (0.8, Verdict.faster), (1.0, Verdict.no_difference)]
)
def test_a_known_change_is_found(factor: float, verdict: Verdict, tmp_path: Path) -> None:
    a, b = run_of(tmp_path, "a"), run_of(tmp_path, "b", time_s=factor, seed=2)

    comparison = compare(a, b, effect=0.02)

    found = change(comparison, Quantity.isolated)
    assert found.ratio == pytest.approx(factor, rel=0.02)
    assert found.verdict is verdict
    assert change(comparison, Quantity.impact).ratio == pytest.approx(1, rel=0.02)
    assert comparison.slower is (verdict is Verdict.slower)


def test_a_higher_impact_alone_makes_nothing_slower(tmp_path: Path) -> None:
    a = run_of(tmp_path, "a", congestion=2.0)
    b = run_of(tmp_path, "b", congestion=3.0, time_s=0.5, seed=2)

    comparison = compare(a, b)

    assert change(comparison, Quantity.impact).verdict is Verdict.slower
    assert not comparison.slower


def test_few_rounds_cannot_tell_and_say_why(tmp_path: Path) -> None:
    comparison = compare(run_of(tmp_path, "a", blocks=3), run_of(tmp_path, "b", blocks=3, time_s=2.0))

    found = change(comparison, Quantity.isolated)
    assert found.verdict is Verdict.inconclusive
    assert found.reason == "3 and 3 isolated rounds: too few for a 95 % interval (4 and 4 suffice)"


def test_background_jobs_are_compared_when_contended_only(tmp_path: Path) -> None:
    a, b = (run_of(tmp_path, name, role="background") for name in "ab")

    assert [found.quantity for found in compare(a, b).jobs[0].changes] == [Quantity.contended]


def test_other_workloads_are_refused_with_the_line_that_differs(tmp_path: Path) -> None:
    a, b = run_of(tmp_path, "a"), run_of(tmp_path, "b", name="other")

    with pytest.raises(ComparisonError, match=r"line 1 of the resolved workload is '\[JOB_NAME\] job' and .* other'"):
        compare(a, b)
    with pytest.raises(ComparisonError, match="have no job name in common"):
        compare(a, b, force=True)


def test_what_was_not_the_same_is_listed(tmp_path: Path) -> None:
    a = run_of(tmp_path, "a")
    path = tmp_path / "b.jsonl"
    lines = a.path.read_text().splitlines()
    header = json.loads(lines[0])
    header["mpi"]["library"] = "MPICH 4.0"
    path.write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n")

    assert compare(a, read_run(path)).differences == ("MPI: Open MPI 4.1.4 and MPICH 4.0",)


@pytest.mark.parametrize(
    ("a", "b", "superiority"),
    [
        ([1, 2], [3, 4], 1.0),
        ([3, 4], [1, 2], 0.0),
        ([1, 2], [1, 2], 0.5),
        ([1, 3], [2, 2, 2], 0.5),
        ([1, 1], [1, 2], 0.75),
    ],
)
def test_superiority_counts_the_pairs_in_which_b_is_larger(a: list[int], b: list[int], superiority: float) -> None:
    assert superiority_of(np.array(a, dtype=float), np.array(b, dtype=float)) == superiority


def test_sides_without_numbers_have_no_superiority() -> None:
    assert superiority_of(np.empty(0), np.ones(3)) is None
    assert superiority_of(np.ones(3), np.array([1.0, np.inf])) is None


def test_effect_sizes_stand_beside_the_verdict(tmp_path: Path) -> None:
    found = change(compare(run_of(tmp_path, "a"), run_of(tmp_path, "b", time_s=1.5, seed=2)), Quantity.isolated)

    assert (found.superiority, found.cliffs_delta) == (1.0, 1.0)
    assert found.regression
