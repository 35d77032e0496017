"""Slowdowns of programs that ran at the same time, from made periods with known times."""

from dataclasses import replace
from pathlib import Path

import pytest
from support import coruns
from support.coruns import blocks, contended, execution, isolated, plan

from stressbench.formats.launches.coruns import read_coruns
from stressbench.formats.launches.journal import FILE
from stressbench.formats.profiles.coruns import to_line
from stressbench.formats.study.errors import StudyMistake
from stressbench.interference.coruns import read_coruns as read_observations
from stressbench.results.coruns import ITERATION, TIME, corun_of, observations_of


def test_the_slowdown_is_that_of_blocks_and_drift_cancels() -> None:
    result = corun_of(plan("a", "b"), blocks(2.0, noise=0.5))

    slowed, other = result.slowdowns
    assert (slowed.program, slowed.others, slowed.hosts, slowed.measure) == ("a", ("b",), "0-1", TIME)
    assert slowed.slowdown is not None
    assert slowed.slowdown.value == pytest.approx(2.0)
    assert (slowed.slowdown.low, slowed.slowdown.high) == (pytest.approx(2.0), pytest.approx(2.0))
    assert other.slowdown is not None
    assert other.slowdown.value == pytest.approx(1.0)
    assert (slowed.blocks, slowed.executions, slowed.overlap) == (6, 6, 1.0)
    assert (slowed.isolated, slowed.contended) == (pytest.approx(22.5), pytest.approx(45.0))
    assert result.complete


def test_fewer_blocks_have_no_interval() -> None:
    result = corun_of(plan("a", "b"), blocks(count=5))

    assert result.slowdowns[0].slowdown is not None
    assert result.slowdowns[0].slowdown.low is None
    assert not result.complete


def test_the_median_of_a_block_counts() -> None:
    periods = [
        isolated(0, 0, 1.0, 1.0, 9.0), isolated(0, 1, 1.0, hosts="2-3"),
        contended(0, (0, 1), [execution(one, overlap=1.0) for one in (3.0, 3.0, 40.0)]),
    ]  # fmt: skip

    assert corun_of(plan("a", "b"), periods).slowdowns[0].slowdown.value == pytest.approx(3.0)  # type: ignore[union-attr]


def test_executions_with_too_little_overlap_and_unfinished_ones_do_not_count() -> None:
    beside = [
        execution(20.0, overlap=0.9), execution(99.0, overlap=0.89), execution(None, status=None),
        execution(4.0, place=1, overlap=0.5),
    ]  # fmt: skip
    periods = [isolated(0, 0, 10.0), isolated(0, 1, 4.0, hosts="2-3"), contended(0, (0, 1), beside)]

    slowed, other = corun_of(plan("a", "b"), periods).slowdowns

    assert slowed.slowdown is not None
    assert (slowed.slowdown.value, slowed.executions) == (pytest.approx(2.0), 1)
    assert other.slowdown is None
    assert other.reason == "no execution overlapped those of the others for 90 % of its time"


def test_a_program_without_mpi_is_compared_by_wall_times() -> None:
    periods = [
        isolated(0, 0, 9.0), isolated(0, 1, 4.0, hosts="2-3"),
        contended(0, (0, 1), [execution(None, overlap=1.0), execution(4.0, place=1, overlap=1.0)]),
    ]  # fmt: skip

    result = corun_of(plan("a", "b"), periods)

    assert result.slowdowns[0].isolated == pytest.approx(10.0)  # with the second of the start
    assert result.slowdowns[1].isolated == pytest.approx(4.0)
    assert result.notes[0].startswith("a: not every execution called MPI_Init")


def test_figures_of_merit_say_how_many_times_worse_they_are() -> None:
    figures = {"rate": "x", "latency": "y", "none": "z"}
    beside = execution(10.0, overlap=1.0, figures={"rate": 25.0, "latency": 6.0})
    periods = [
        coruns.period(0, (0,), [execution(10.0, figures={"rate": 50.0, "latency": 2.0})], hosts=("0-1",)),
        isolated(0, 1, 4.0, hosts="2-3"), contended(0, (0, 1), [beside]),
    ]  # fmt: skip

    result = corun_of(plan("a", "b", figures=figures, lower=("latency",)), periods)

    by_measure = {one.measure: one for one in result.slowdowns if one.program == "a"}
    assert by_measure["rate"].slowdown.value == pytest.approx(2.0)  # type: ignore[union-attr]
    assert by_measure["latency"].slowdown.value == pytest.approx(3.0)  # type: ignore[union-attr]
    assert by_measure["none"].reason == "the program prints no none"


def test_iterations_are_compared_where_their_number_differs() -> None:
    """Beside the other, the program takes three times as long, but needs twice as many iterations."""
    beside = [
        execution(30.0, overlap=1.0, iterations=200), execution(4.0, place=1, overlap=1.0, iterations=0),
    ]  # fmt: skip
    periods = [
        coruns.period(0, (0,), [execution(10.0, iterations=100)], hosts=("0-1",)),
        coruns.period(0, (1,), [execution(4.0, iterations=0)], hosts=("2-3",)), contended(0, (0, 1), beside),
    ]  # fmt: skip

    result = corun_of(plan("a", "b", iterations={"a": "Allreduce", "b": "Send"}), periods)

    found = {(one.program, one.measure): one for one in result.slowdowns}
    assert found["a", TIME].slowdown.value == pytest.approx(3.0)  # type: ignore[union-attr]
    iteration = found["a", ITERATION]
    assert (iteration.isolated, iteration.contended) == (pytest.approx(0.1), pytest.approx(0.15))
    assert iteration.slowdown.value == pytest.approx(1.5)  # type: ignore[union-attr]
    assert found["b", ITERATION].reason == "its rank 0 did not call Send in both"
    assert [one.iterations for one in result.executions] == [100, 0, 200, 0]
    assert [one.victim for one in observations_of(result, source="here")] == ["a", "b"]


def test_copies_of_a_program_are_taken_together() -> None:
    beside = [execution(15.0, overlap=1.0), execution(25.0, place=1, overlap=1.0)]
    periods = [
        isolated(0, 0, 10.0), isolated(0, 0, 10.0, hosts="2-3"), contended(0, (0, 0), beside),
    ]  # fmt: skip

    (copies,) = corun_of(plan("a", groups=[(0, 0)], runs=1), periods).slowdowns

    assert (copies.program, copies.others) == ("a", ("a",))
    assert copies.slowdown.value == pytest.approx(2.0)  # type: ignore[union-attr]
    assert copies.executions == 2


def test_isolated_times_are_those_on_the_same_hosts() -> None:
    groups = [(0, 1), (1, 2)]
    periods = [
        isolated(0, 0, 1.0), isolated(0, 1, 10.0, hosts="2-3"), isolated(0, 1, 5.0, hosts="0-1"),
        isolated(0, 2, 1.0, hosts="2-3"),
        contended(0, (0, 1), [execution(20.0, place=1, overlap=1.0)]),
        contended(0, (1, 2), [execution(20.0, overlap=1.0)]),
    ]  # fmt: skip

    result = corun_of(plan("a", "b", "c", groups=groups, runs=1), periods)

    assert result.slowdown("b", ("a",)).slowdown.value == pytest.approx(2.0)  # type: ignore[union-attr]
    assert result.slowdown("b", ("c",)).slowdown.value == pytest.approx(4.0)  # type: ignore[union-attr]
    assert result.slowdown("c", ("a",)) is None


@pytest.mark.parametrize("lost", range(18))
def test_results_without_one_period_are_not_complete(lost: int) -> None:
    periods = blocks()

    assert not corun_of(plan("a", "b"), periods[:lost] + periods[lost + 1 :]).complete


def test_executions_that_were_left_out_are_counted() -> None:
    periods = [replace(one, left_out=700) for one in blocks(count=2)]

    assert corun_of(plan("a", "b"), periods).notes == (
        "4,200 executions of short programs are left out, evenly spaced; longer inputs need fewer",
    )


def test_programs_that_shared_cores_waited_for_them() -> None:
    shared = replace(plan("a", "b", "c", groups=[(0, 1), (0, 1, 2)]), shared_cores=2)

    result = corun_of(shared, [])

    assert result.shared_cores == 2
    assert result.notes == (
        "up to 3 programs at a time share 2 cores of this machine, so that all slowdowns include waits for cores; with "
        "as many cores as programs, each has its own",
    )
    assert "share a core of this" in corun_of(replace(shared, shared_cores=1), []).notes[0]


def test_links_are_compared_with_the_program_that_used_them_most() -> None:
    (link,) = corun_of(plan("a", "b"), blocks()).links

    assert (link.group, link.link, link.source, link.target) == (("a", "b"), "leaf0-root", "leaf0", "root")
    assert (link.isolated, link.contended) == (pytest.approx(0.6), pytest.approx(0.9))


def test_observations_can_be_read_by_predict_evaluate(tmp_path: Path) -> None:
    result = corun_of(plan("a", "b", figures={"rate": "x"}), blocks())
    file = tmp_path / "observations.jsonl"
    file.write_text("".join(map(to_line, observations_of(result, source="launches.jsonl"))), encoding="utf-8")

    first, second = read_observations(file)

    assert (first.victim, first.aggressors, first.machine) == ("a", ("b",), "lab-tiny")  # type: ignore[union-attr]
    assert first.slowdown == pytest.approx(2.0)  # type: ignore[union-attr]
    assert first.interval is not None  # type: ignore[union-attr]
    assert first.overlap == 1.0  # type: ignore[union-attr]
    assert second.victim == "b"


def test_a_directory_is_read_as_it_was_written(tmp_path: Path) -> None:
    made, periods = plan("a", "b"), blocks()
    folder = coruns.write(tmp_path / "both", made, periods)

    recorded = read_coruns(folder / FILE)

    assert recorded.plan == made
    assert list(recorded.done) == periods
    assert recorded.complaints == ()


def test_a_line_cut_off_is_left_out_and_named(tmp_path: Path) -> None:
    folder = coruns.write(tmp_path / "both", plan("a", "b"), blocks())
    file = folder / FILE
    file.write_bytes(file.read_bytes()[:-40])

    recorded = read_coruns(file)

    assert len(recorded.done) == 17
    assert "launches.jsonl:19: broken line" in recorded.complaints[0]


def test_a_period_of_programs_that_the_plan_does_not_have_is_left_out_and_named(tmp_path: Path) -> None:
    periods = blocks()
    strange = replace(periods[1], programs=(9,) * len(periods[1].programs))
    folder = coruns.write(tmp_path / "both", plan("a", "b"), [periods[0], strange, *periods[2:]])

    recorded = read_coruns(folder / FILE)

    assert list(recorded.done) == [periods[0], *periods[2:]]
    (complaint,) = recorded.complaints
    assert "launches.jsonl:3: broken line (programs: expected numbers of the plan's, below 2); it is left" in complaint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": ((0, 2),)}, "expected numbers of programs of the plan"),
        ({"hosts": (("0",),)}, "expected hosts for each program"),
    ],
)
def test_a_plan_that_contradicts_itself_is_refused(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(plan("a", "b"), **change)


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text('{"type": "plan"}\n', encoding="utf-8")

    with pytest.raises(StudyMistake, match="no plan; expected a file that `stressbench corun -o DIR"):
        read_coruns(file)
