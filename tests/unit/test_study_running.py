"""A study survives being killed at any time: the same runs, none twice, none lost, nothing dropped in silence."""

import fcntl
import json
import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.fixtures import mounted
from support.programs import wait_until
from support.studies import (
    PART,
    STUDY,
    WHOLE,
    FakeLaunches,
    Killed,
    Silent,
    Ticking,
    again,
    carry_out,
    finished_files,
    killing_writes,
    study_in,
)

from stressbench.exit_status import ExitStatus
from stressbench.experiments.study.directory import Directory, locked, now, require_same_workloads
from stressbench.experiments.study.execution import StudyOptions, run_study
from stressbench.experiments.study.run_states import State, retries_of, run_states
from stressbench.experiments.study.running import LaunchResult, ScheduledRun, Stop
from stressbench.experiments.study.workers import WorkerPool
from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.formats.study.fields import MAX_RETRIES
from stressbench.formats.study.manifest import FailedRecord, FinishedRecord, PlannedRecord, PolicyRecord, SettledRecord
from stressbench.stop_signals import handled_by

RUNS = 12  # of STUDY: 3 placements, 2 sizes, 2 repetitions
WRITES = 1 + 2 * RUNS  # the plan, then started and finished of each run


def states(directory) -> list[State]:
    return [one.state for one in run_states(directory.study.runs, directory.read().records)]


def finished(directory) -> list[str]:
    return [record.run for record in directory.read().records if isinstance(record, FinishedRecord)]


def test_all_runs_are_run_once_each_pass_in_a_random_order_of_its_own(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches()

    stop, _ = carry_out(directory, launches)

    assert stop is Stop.done
    assert launches.started == [run.id for run in directory.study.runs]
    assert {name.rpartition("-")[2] for name in launches.started[:6]} == {"r1"}
    passes = [[name.partition("-")[0] for name in launches.started[at : at + 6]] for at in (0, 6)]
    assert sorted(passes[0]) == sorted(passes[1])
    assert passes[0] != passes[1]
    planned = [record.run for record in directory.read().records if isinstance(record, PlannedRecord)]
    assert planned == launches.started


@pytest.mark.parametrize("moment", range(20))
def test_killed_at_any_write_and_resumed_it_has_the_same_runs(tmp_path: Path, moment: int) -> None:
    rng = random.Random(moment)
    directory, launches = study_in(tmp_path), FakeLaunches()
    after, torn = (rng.randrange(WRITES), rng.randrange(400)) if moment else (0, 0)

    with pytest.raises(Killed):
        carry_out(killing_writes(directory, after=after, torn=torn), launches)
    stop, _ = carry_out(again(directory), launches)

    assert stop is Stop.done
    assert states(again(directory)) == [State.done] * RUNS
    assert sorted(finished(directory)) == sorted(run.id for run in directory.study.runs)
    assert sorted(finished_files(directory)) == sorted(f"{run.id}.jsonl" for run in directory.study.runs)
    assert len(launches.orders) <= RUNS + 1


@pytest.mark.parametrize("launch", [0, 5, 11])
def test_killed_within_a_run_it_goes_on_with_that_run_s_file(tmp_path: Path, launch: int) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches(results={launch: Killed()})

    with pytest.raises(Killed):
        carry_out(directory, launches)
    carry_out(again(directory), launches)

    assert [order.continues for order in launches.orders[: launch + 2]] == [False] * (launch + 1) + [True]
    assert launches.orders[launch].path == launches.orders[launch + 1].path
    assert states(directory) == [State.done] * RUNS


def test_a_run_that_fails_on_a_full_disk_ends_the_study_and_is_run_again(tmp_path: Path) -> None:
    """Else each of ten thousand runs would be launched, fail, and be given up."""
    with mounted(tmp_path / "disk", "size=4m") as disk:
        directory = study_in(disk)
        launches = FakeLaunches(results={2: LaunchResult(status=3, reason="no space")})
        other = disk / "other"
        other.write_bytes(bytes((3 << 20) + (1 << 19)))

        with pytest.raises(StudyFault, match=r"no space left on device; the last run does not count as failed"):
            carry_out(directory, launches)

        assert len(launches.orders) == 3
        assert State.failed not in states(again(directory))
        other.unlink()
        stop, _ = carry_out(again(directory), launches)
        assert stop is Stop.done
        assert states(again(directory)) == [State.done] * RUNS


def begun(directory: Directory) -> Path:
    """The file of the first run, which was cut off."""
    run_file = directory.path / "runs" / f"{directory.study.runs[0].id}.jsonl"
    run_file.write_text(PART)
    return run_file


def test_a_launch_that_outlived_its_study_is_waited_for_and_what_it_wrote_counts(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches()
    run_file = begun(directory)

    with run_file.open("ab") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)

        class FinishingWatcher(Silent):
            def waits(self, path: Path) -> None:
                super().waits(path)
                run_file.write_text(WHOLE)
                writer.close()

        watcher = FinishingWatcher()
        carry_out(directory, launches, watcher=watcher)

    assert watcher.waited_for == [run_file]
    assert len(launches.orders) == RUNS - 1
    assert states(directory) == [State.done] * RUNS


def test_a_launch_that_outlived_its_study_for_good_is_named(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches()
    run_file = begun(directory)

    with run_file.open("ab") as writer:
        fcntl.flock(writer, fcntl.LOCK_EX)
        with pytest.raises(StudyMistake, match="still writes to it"):
            carry_out(directory, launches, clock=Ticking(step_s=50))

    assert launches.orders == []


def test_a_fifo_in_the_place_of_a_run_file_is_not_waited_for_and_the_run_gets_another_file(tmp_path: Path) -> None:
    directory, launches, watcher = study_in(tmp_path), FakeLaunches(), Silent()
    run_file = begun(directory)
    run_file.unlink()
    os.mkfifo(run_file)

    carry_out(directory, launches, watcher=watcher)

    assert watcher.waited_for == []
    assert launches.orders[0].path == run_file.with_name(f"{run_file.stem}-a2.jsonl")
    assert states(directory) == [State.done] * RUNS


def test_a_run_that_was_killed_before_its_first_record_gets_another_file(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches()
    first = directory.study.runs[0].id
    (directory.path / "runs" / f"{first}.jsonl").write_text('{"type": "hea')

    carry_out(directory, launches)

    assert launches.orders[0].path.name == f"{first}-a2.jsonl"
    assert not launches.orders[0].continues


def test_ctrl_c_leaves_a_study_that_goes_on_with_the_same_run(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    launches = FakeLaunches(results={3: LaunchResult(status=130)})

    stop, _ = carry_out(directory, launches)
    assert stop is Stop.interrupted
    assert len(launches.orders) == 4

    carry_out(again(directory), launches)
    assert launches.started[3] == launches.started[4]
    assert launches.orders[4].continues
    assert states(directory) == [State.done] * RUNS


def test_ctrl_c_in_a_run_s_last_round_starts_no_other_run(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    launches = FakeLaunches(results={2: LaunchResult(status=0, stop_requested=True)})

    stop, _ = carry_out(directory, launches)

    assert stop is Stop.interrupted
    assert states(directory).count(State.done) == 3


def test_a_run_that_fails_is_tried_again_after_all_others(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    launches = FakeLaunches(results={1: LaunchResult(status=3, reason="rank 2 was ended by SIGKILL")})

    carry_out(directory, launches)

    assert launches.started[-1] == launches.started[1]
    assert launches.orders[-1].path.name == f"{launches.started[1]}-a2.jsonl"
    assert not launches.orders[-1].continues
    failed = [record for record in directory.read().records if isinstance(record, FailedRecord)]
    assert [(one.status, one.reason) for one in failed] == [(3, "rank 2 was ended by SIGKILL")]
    assert states(directory) == [State.done] * RUNS


def test_a_run_that_goes_on_failing_is_given_up_and_reported(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    launches = FakeLaunches(
        results={1: LaunchResult(status=3), **{at: LaunchResult(status=3, reason="again") for at in (12, 13)}}
    )

    stop, runner = carry_out(directory, launches, retries=2)

    assert stop is Stop.done
    assert (runner.counts().done, runner.counts().failed) == (RUNS - 1, 1)
    lost = next(one for one in runner.run_states if one.state is State.failed)
    assert (lost.failures, lost.status, lost.reason) == (3, 3, "again")


def test_the_loop_ends_when_no_run_is_open_however_many_retries_are_allowed(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches(results={at: LaunchResult(status=3) for at in (1, 12, 13)})

    stop, _ = carry_out(directory, launches, retries=10**12)

    assert stop is Stop.done
    assert launches.started[RUNS:] == [launches.started[1]] * 3
    assert states(directory) == [State.done] * RUNS


@pytest.mark.parametrize("retries", [MAX_RETRIES + 1, 10**9])
def test_too_many_retries_are_refused(tmp_path: Path, retries: int) -> None:
    with pytest.raises(StudyMistake, match=rf"--retries: {retries} is not between 0 and {MAX_RETRIES}"):
        StudyOptions(retries=retries).check(study_in(tmp_path).study)


def test_a_manifest_s_record_of_too_many_retries_is_named_and_ignored(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    directory.write(PolicyRecord(at=now(), retries=MAX_RETRIES))
    directory.write(PolicyRecord(at=now(), retries=10**9))

    manifest = directory.read()

    assert retries_of(manifest.records, written=1) == MAX_RETRIES
    assert len(manifest.complaints) == 1


def test_resume_counts_the_tries_before_and_tries_again_only_where_more_are_allowed(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    carry_out(directory, FakeLaunches(results={0: LaunchResult(status=3)}), retries=0)

    same, more = FakeLaunches(), FakeLaunches()
    carry_out(again(directory), same, retries=0)
    carry_out(again(directory), more, retries=1)

    assert same.started == []
    assert more.started == [directory.study.runs[0].id]


def test_a_corrupted_line_is_named_and_the_rest_is_used(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches()
    carry_out(directory, launches)
    lines = directory.manifest.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if '"finished"' in line)
    lines[at] = lines[at][:30] + "\x00\x00"
    directory.manifest.write_text("\n".join(lines) + "\n")

    manifest = directory.read()
    carry_out(again(directory), launches)

    assert len(manifest.records) == len(lines) - 1
    assert [complaint.split(" ")[0] for complaint in manifest.complaints] == [f"{directory.manifest}:{at + 1}:"]
    assert len(launches.orders) == RUNS  # its file is complete, so that it is not run again
    assert states(directory) == [State.done] * RUNS


def test_a_manifest_that_is_lost_is_made_again_from_the_runs(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches()
    carry_out(directory, launches)
    directory.manifest.unlink()

    carry_out(again(directory), launches)

    assert len(launches.orders) == RUNS
    assert states(directory) == [State.done] * RUNS


def test_a_larger_study_keeps_what_is_done_and_runs_the_rest(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches()
    carry_out(directory, launches)
    larger = STUDY.replace('"8KiB"]', '"8KiB", "1MiB"]').replace("repetitions = 2", "repetitions = 3")

    extended = study_in(tmp_path, larger)
    carry_out(extended, launches)

    assert len(launches.orders) == len(set(launches.started)) == 27
    assert launches.started[:RUNS] == [run.id for run in directory.study.runs]
    assert [run.id for run in extended.study.runs if run.id in launches.started[:RUNS]] == launches.started[:RUNS]
    assert again(directory).study == extended.study


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"4KiB", "8KiB"', '"4KiB"', "3 of its 6 cells are not in the new file, such as"),
        ("repetitions = 2", "repetitions = 1", "2 repetitions were planned and there are now 1"),
        ("repetitions = 2", "repetitions = 2\nseed = 5", "seed was 1 and is now 5"),
        ("[set]", "[run]\nisolated = 3\n[set]", "run.isolated was None and is now 3"),
    ],
)
def test_a_study_may_only_grow(tmp_path: Path, old: str, new: str, message: str) -> None:
    directory = study_in(tmp_path)

    with pytest.raises(StudyMistake, match=message):
        study_in(tmp_path, STUDY.replace(old, new))

    assert again(directory).study == directory.study


def test_a_workload_that_changed_since_is_refused(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    require_same_workloads(again(directory))
    (tmp_path / "two.sb").write_text("[JOB_NAME] other\n")

    with pytest.raises(StudyMistake, match=r"two.sb has changed since this study began"):
        require_same_workloads(again(directory))


INCLUDING = "[SET] part=a\n[JOB_NAME] CG\n[NODES] 1\n[INCLUDE] parts/${part}.sb\n"


def study_that_includes(folder: Path) -> Directory:
    (folder / "parts").mkdir()
    for name in ("a", "b"):
        (folder / "parts" / f"{name}.sb").write_text("[MOTIF] allreduce\n")
    (folder / "three.sb").write_text(INCLUDING)
    return study_in(folder, STUDY.replace("two.sb", "three.sb").replace("size =", "other ="))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.write_text("[MOTIF] alltoall\n"), "parts/a.sb has changed since this study began"),
        (lambda file: file.unlink(), r"parts/a.sb: the study's workload's \[INCLUDE\] is missing; restore it there"),
    ],
)
def test_a_file_that_a_workload_includes_and_that_changed_since_is_refused(
    tmp_path: Path, change: Callable[[Path], object], message: str
) -> None:
    directory = study_that_includes(tmp_path)
    (tmp_path / "parts" / "b.sb").unlink()  # no cell reads it
    require_same_workloads(again(directory))
    change(tmp_path / "parts" / "a.sb")

    with pytest.raises(StudyMistake, match=message):
        require_same_workloads(again(directory))


def test_a_directory_of_an_older_version_says_nothing_of_includes(tmp_path: Path) -> None:
    directory = study_that_includes(tmp_path)
    origin = directory.path / "study-1.json"
    origin.write_text(
        json.dumps({key: value for key, value in json.loads(origin.read_text()).items() if key != "includes"})
    )

    require_same_workloads(again(directory))


def test_retries_are_as_somebody_said_since_the_file_came(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    said = [retries_of(directory.read().records, written=1)]

    directory.write(PolicyRecord(at=now(), retries=4))
    said.append(retries_of(directory.read().records, written=1))
    larger = study_in(tmp_path, STUDY.replace("repetitions = 2", "repetitions = 3\nretries = 2"))
    said.append(retries_of(larger.read().records, written=2))

    assert said == [1, 4, 2]


def test_retries_below_0_in_a_manifest_are_reported_and_do_not_count(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    directory.write(PolicyRecord(at=now(), retries=-1))

    manifest = directory.read()

    assert retries_of(manifest.records, written=1) == 1
    assert "retries: input should be greater than or equal to 0" in manifest.complaints[0]


def test_options_below_their_range_end_before_any_run(tmp_path: Path) -> None:
    directory = study_in(tmp_path)

    for options, message in (
        (StudyOptions(jobs=0), "--jobs: 0 is not at least 1"),
        (StudyOptions(retries=-1), "--retries: -1 is not between 0 and 1000000"),
    ):
        with pytest.raises(StudyMistake, match=message):
            run_study(directory, options)
    assert not [record for record in directory.read().records if isinstance(record, PolicyRecord)]


def test_a_directory_with_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "thesis.tex").write_text("")

    with pytest.raises(StudyMistake, match=r"holds no study, but thesis.tex"):
        study_in(tmp_path)


def test_a_study_that_is_moved_with_its_workloads_goes_on(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    directory = study_in(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")

    moved = again(replace(directory, path=tmp_path / "b" / "made"))

    assert moved.folder == tmp_path / "b"


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    directory = study_in(tmp_path)

    with locked(directory.path), pytest.raises(StudyMistake, match="another `stressbench study` is running this study"):
        locked(directory.path).__enter__()


def test_nothing_starts_after_the_time_limit_and_each_run_hears_what_is_left(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches()

    stop, _ = carry_out(directory, launches, time_limit_s=40, clock=Ticking(step_s=2))

    assert stop is Stop.time_limit
    assert 2 <= len(launches.orders) < RUNS
    left = [order.time_limit_s for order in launches.orders]
    assert left == sorted(left, reverse=True)
    carry_out(again(directory), launches)
    assert states(directory) == [State.done] * RUNS


def test_a_run_that_the_study_s_limit_cut_off_is_continued_later(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches(text=PART)

    stop, _ = carry_out(directory, launches, time_limit_s=100)
    assert stop is Stop.time_limit
    assert states(directory)[0] is State.begun

    launches.text = FakeLaunches().text
    carry_out(again(directory), launches)
    assert launches.orders[1].continues


def test_a_run_that_its_own_limit_ended_counts_and_is_marked(tmp_path: Path) -> None:
    directory = study_in(tmp_path, STUDY + '[run]\ntime_limit = "10s"\n')

    stop, runner = carry_out(directory, FakeLaunches(text=PART))

    assert stop is Stop.done
    assert {(one.state, one.complete) for one in runner.run_states} == {(State.done, False)}


UNTIL = STUDY.replace("repetitions = 2", '[until]\ninterval = "5%"\nat_least = 2\nat_most = 5').replace(
    'about = "made up"\n', ""
)


def test_a_cell_is_repeated_until_it_is_narrow(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path, UNTIL), FakeLaunches()

    stop, runner = carry_out(directory, launches, is_narrow=lambda runs: len(runs) >= 3)

    assert stop is Stop.done
    assert len(launches.orders) == 6 * 3
    assert runner.counts().skipped == 6 * 2
    settled = [record.runs for record in directory.read().records if isinstance(record, SettledRecord)]
    assert settled == [3] * 6
    carry_out(again(directory), launches, is_narrow=lambda _: True)
    assert len(launches.orders) == 6 * 3


def test_a_cell_that_never_is_narrow_ends_at_its_most(tmp_path: Path) -> None:
    launches = FakeLaunches()

    carry_out(study_in(tmp_path, UNTIL), launches)

    assert len(launches.orders) == 6 * 5


def launch_and_tell_where(order) -> LaunchResult:
    FakeLaunches()(order)
    return LaunchResult(status=0)


def test_several_at_once_run_each_once(tmp_path: Path) -> None:
    directory = study_in(tmp_path)

    stop, _ = carry_out(directory, launch_and_tell_where, pool=WorkerPool(3))

    assert stop is Stop.done
    assert sorted(finished(directory)) == sorted(run.id for run in directory.study.runs)


def die(order) -> LaunchResult:
    raise SystemExit(7)


def test_a_worker_that_dies_is_a_failure_with_its_status(tmp_path: Path) -> None:
    directory = study_in(tmp_path)

    _, runner = carry_out(directory, die, pool=WorkerPool(4), retries=1)

    assert runner.counts().failed == RUNS
    assert {(one.failures, one.reason) for one in runner.run_states} == {
        (2, "the process that started it ended with status 7")
    }


def test_time_left_follows_from_what_runs_took(tmp_path: Path) -> None:
    _, runner = carry_out(study_in(tmp_path), FakeLaunches(results={4: LaunchResult(status=130)}))

    left_s = runner.counts().left_s

    took = [one.duration_s for one in runner.run_states if one.duration_s is not None]
    assert left_s == pytest.approx(8 * sum(took) / len(took), rel=0.2)


def test_a_signal_to_a_worker_that_has_just_begun_interrupts_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, fork = os.getpid(), os.fork

    def fork_and_stop() -> int:
        child = fork()
        if child == 0:
            os.kill(os.getpid(), signal.SIGTERM)
        return child

    def handle(*_: object) -> None:
        assert os.getpid() == parent, "the handler of the study was called in a worker"

    monkeypatch.setattr(os, "fork", fork_and_stop)
    run = study_in(tmp_path).study.runs[0]
    scheduled = ScheduledRun(run=run, path=tmp_path / "run.jsonl", continues=False, time_limit_s=None)

    with handled_by(handle):
        ((_, result),) = WorkerPool(2).map(iter([scheduled]), die)

    assert result.status == ExitStatus.interrupted


def test_a_signal_while_a_worker_is_started_reaches_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fork, pool = os.fork, WorkerPool(2)

    def fork_and_stop() -> int:
        child = fork()
        if child != 0:
            os.kill(os.getpid(), signal.SIGTERM)
        return child

    def sleep(_: ScheduledRun) -> LaunchResult:
        time.sleep(5)
        return LaunchResult(status=0)

    monkeypatch.setattr(os, "fork", fork_and_stop)
    run = study_in(tmp_path).study.runs[0]
    scheduled = ScheduledRun(run=run, path=tmp_path / "run.jsonl", continues=False, time_limit_s=None)

    with handled_by(lambda number, _: pool.forward_signal(number)):
        ((_, result),) = pool.map(iter([scheduled]), sleep)

    assert result.status == ExitStatus.interrupted


def sleep_for_long(order) -> LaunchResult:
    order.path.write_text(str(os.getpid()))
    time.sleep(3600)
    return LaunchResult(status=0)


def test_workers_end_with_the_study_that_is_killed(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    study = os.fork()
    if study == 0:
        carry_out(directory, sleep_for_long, pool=WorkerPool(2))
    files = [directory.path / "runs" / f"{run.id}.jsonl" for run in directory.study.runs[:2]]
    wait_until(lambda: all(file.exists() and file.read_text() for file in files), "two workers are at work")

    os.kill(study, signal.SIGKILL)
    os.waitpid(study, 0)

    workers = [int(file.read_text()) for file in files]
    wait_until(lambda: not any(map(is_alive, workers)), "no worker is left")


def is_alive(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
