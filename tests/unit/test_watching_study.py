"""`study watch`: the state of a study and of a run according to their files, whatever happened to them."""

import json
import os
from pathlib import Path

import pytest
from support.builders import MadeJob, MadePlan, build_run, end, event
from support.studies import PART, WHOLE, study_in
from support.watching import (
    at,
    begin_run,
    finished_study,
    interrupted_study,
    killed_study,
    running,
    written,
)

from stressbench.experiments.study.claims import shared_runs
from stressbench.experiments.study.directory import locked
from stressbench.experiments.watching.run import RunWatcher
from stressbench.experiments.watching.study import StudyWatcher
from stressbench.experiments.watching.watcher import state_of, watcher_of
from stressbench.formats.study.errors import StudyMistake
from stressbench.results.watching import Activity, Watched

RUNS = 12


def look(folder: Path) -> Watched:
    return StudyWatcher(folder).look()


def test_a_directory_that_does_not_exist_yet_is_waited_for(tmp_path: Path) -> None:
    watcher = watcher_of(tmp_path / "made")

    before = watcher.look()
    directory = study_in(tmp_path)
    after = watcher.look()

    assert before.activity is Activity.waiting
    assert "is not a directory; `stressbench study run FILE.toml -o" in before.sentence
    assert (after.activity, after.study is not None) == (Activity.stopped, True)
    assert after.sentence.startswith("nothing runs: no run was started yet; `stressbench study resume ")
    assert str(directory.path) in after.sentence


def test_a_finished_study_has_ended(tmp_path: Path) -> None:
    watched = look(finished_study(tmp_path).path)

    assert (watched.activity, watched.sentence) == (Activity.ended, "all runs are done")
    assert watched.is_final
    assert watched.study is not None
    assert (watched.study.done, watched.study.total, watched.runs) == (RUNS, RUNS, ())
    assert (watched.left_s, watched.ends_at) == (None, None)


def test_a_study_with_failures_has_ended_and_says_so(tmp_path: Path) -> None:
    watched = look(finished_study(tmp_path, failing=True).path)

    assert watched.activity is Activity.ended
    assert watched.sentence == "no run is left to do; some failed in all attempts"


def test_a_study_that_commands_share_runs_as_long_as_one_of_them_has_a_run(tmp_path: Path) -> None:
    directory = killed_study(tmp_path, done=2)
    run = directory.study.runs[2].id

    with locked(directory.path, shared=True), shared_runs(directory.path) as claims:
        claims.take(run)
        during = look(directory.path)

    assert during.activity is Activity.running
    assert look(directory.path).activity is Activity.stopped


def test_a_killed_study_says_that_nothing_runs(tmp_path: Path) -> None:
    """The file of its lock remains, but nobody holds it."""
    directory = killed_study(tmp_path, done=2)
    (directory.path / ".lock").touch()

    watched = look(directory.path)

    killed = directory.study.runs[2].id
    assert watched.activity is Activity.stopped
    assert watched.sentence.startswith(f"nothing runs: the study was killed during {killed}, or its machine failed;")
    assert "`stressbench study resume" in watched.sentence
    assert [run.run for run in watched.runs] == [killed]
    assert (watched.left_s, watched.runs[0].left_s) == (None, None)


def test_a_launch_that_outlived_its_study_is_named(tmp_path: Path) -> None:
    directory = killed_study(tmp_path)
    file = directory.path / "runs" / f"{directory.study.runs[0].id}.jsonl"

    with written(file):
        assert f"and a launch that outlived it still writes to runs/{file.name};" in look(directory.path).sentence


def test_an_interrupted_study_says_why_it_stopped(tmp_path: Path) -> None:
    watched = look(interrupted_study(tmp_path).path)

    assert watched.activity is Activity.stopped
    assert "was ended before it was complete (SIGINT)" in watched.sentence


def test_a_study_that_grows_without_a_lock_here_may_run_on_another_host(tmp_path: Path) -> None:
    directory = killed_study(tmp_path)
    file = directory.path / "runs" / f"{directory.study.runs[0].id}.jsonl"
    watcher = StudyWatcher(directory.path)
    assert watcher.look().activity is Activity.stopped

    file.write_text(WHOLE)

    watched = watcher.look()
    assert watched.activity is Activity.unknown
    assert "another host may run it" in watched.sentence


def test_what_runs_where_is_shown_with_its_progress(tmp_path: Path) -> None:
    directory = killed_study(tmp_path, done=3)
    with running(directory):
        watched = look(directory.path)

    run = watched.runs[0]
    assert (watched.activity, watched.sentence) == (Activity.running, "running")
    assert (run.on, run.ranks, run.launch, run.rounds, run.planned_rounds) == ("local", 8, 0, 6, 6)
    assert "placement = " in run.description
    assert [(job.name, job.nodes, job.hosts) for job in run.jobs] == [("CG", "0", ("a1",)), ("Incast", "1", ("a2",))]
    assert [(job.isolated_rounds, job.contended_rounds) for job in run.jobs] == [(2, 2), (2, 2)]


def test_time_left_follows_from_the_rounds_and_from_completed_runs(tmp_path: Path) -> None:
    """Rounds of one second each, 36 are planned and 18 done; completed runs took one reading of the clock each."""
    directory = killed_study(tmp_path, done=3)
    plan = MadePlan(blocks=12, repetitions=2, warmup=0, extra=0)
    rounds = build_run(jobs=(MadeJob(name="CG"), MadeJob(name="Incast")), plan=plan, complete=False, histograms=False)
    half = [*rounds.of("header"), *[one for one in rounds.records if one.get("round", 99) <= 18]]
    file = directory.path / "runs" / f"{directory.study.runs[3].id}.jsonl"
    file.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in half))
    ended_s = half[-1]["started_s"] + half[-1]["duration_s"]
    os.utime(file, (at(ended_s).timestamp(),) * 2)

    with running(directory):
        watched = StudyWatcher(directory.path, clock=lambda: at(ended_s)).look()
        later = StudyWatcher(directory.path, clock=lambda: at(ended_s + 5)).look()

    assert watched.runs[0].left_s == pytest.approx(18, rel=0.01)
    assert later.runs[0].left_s == pytest.approx(13, rel=0.02)
    assert watched.study is not None
    durations = [one.duration_s for one in watched.study.runs if one.duration_s is not None]
    assert watched.left_s == pytest.approx(18 + 8 * sum(durations) / len(durations), rel=0.01)
    assert watched.ends_at is not None
    assert (watched.ends_at - watched.at).total_seconds() == pytest.approx(watched.left_s, rel=0.01)


def test_time_left_is_unknown_before_anything_is_complete(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    begin_run(directory, 0, text="")
    with running(directory):
        watched = look(directory.path)

    assert (watched.activity, watched.left_s, watched.ends_at) == (Activity.running, None, None)
    assert watched.runs[0].rounds == 0


def test_intervals_are_those_of_completed_runs_and_of_the_run_in_progress(tmp_path: Path) -> None:
    """The first cells of a repetition have one run each: of six blocks if complete, of two if in progress."""
    directory = killed_study(tmp_path, done=3)
    with running(directory):
        watched = look(directory.path)

    cells = {cell.cell: cell for cell in watched.cells}
    complete, in_progress = (cells[directory.study.runs[number].cell.id] for number in (0, 3))
    first = next(one for one in complete.impacts if one.job == "CG")
    assert (complete.done, complete.planned, first.runs) == (1, 2, 1)
    assert first.low is not None
    assert first.high is not None
    assert first.low < 1.5 < first.high
    assert [one.count for one in first.narrowing] == [1]
    assert (in_progress.done, in_progress.impacts[0].runs, in_progress.impacts[0].low) == (0, 1, None)
    assert "a 95 % interval needs at least 6" in str(in_progress.impacts[0].reason)


def test_intervals_narrow_with_the_blocks_of_a_run(tmp_path: Path) -> None:
    plan = MadePlan(blocks=40, repetitions=2, warmup=0, extra=0)
    path = build_run(jobs=(MadeJob(congestion=1.5),), plan=plan).write(tmp_path)

    job = RunWatcher(path).look().runs[0].jobs[0]

    assert [one.count for one in job.narrowing] == [6, 12, 24, 40]
    widths = [one.high / one.low for one in job.narrowing]
    assert widths == sorted(widths, reverse=True)
    assert (job.low, job.high) == (job.narrowing[-1].low, job.narrowing[-1].high)


def test_only_what_has_changed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = killed_study(tmp_path, done=3)
    watcher = StudyWatcher(directory.path)
    watcher.look()
    opened: list[str] = []
    original = os.open

    def counting(path: object, *arguments: object, **options: object) -> int:
        opened.append(Path(str(path)).name)
        return original(path, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", counting)
    watcher.look()

    in_progress = f"{directory.study.runs[3].id}.jsonl"
    assert sorted(set(opened) - {".lock"}) == [in_progress]


def test_completed_runs_are_read_a_few_at_a_look_the_newest_first(tmp_path: Path) -> None:
    directory = finished_study(tmp_path)
    size = (directory.path / "runs" / f"{directory.study.runs[0].id}.jsonl").stat().st_size
    watcher = StudyWatcher(directory.path, bytes_per_look=4 * size)

    unread = [sum(cell.unread for cell in watcher.look().cells) for _ in range(4)]

    assert unread == [8, 4, 0, 0]


def test_a_broken_line_of_the_manifest_is_a_warning(tmp_path: Path) -> None:
    directory = finished_study(tmp_path)
    with directory.manifest.open("a") as file:
        file.write("{broken}\n")

    watched = look(directory.path)

    assert watched.activity is Activity.ended
    assert any("manifest.jsonl:" in text and "broken line" in text for text in watched.warnings)


def test_a_damaged_run_file_is_a_warning(tmp_path: Path) -> None:
    directory = finished_study(tmp_path)
    run = directory.study.runs[0].id
    (directory.path / "runs" / f"{run}.jsonl").write_text("{broken}\n")

    watched = look(directory.path)

    assert len(watched.warnings) == 1
    assert f"{run}.jsonl:1: broken line" in watched.warnings[0]
    assert watched.warnings[0].endswith("the run is left out")


def test_a_damaged_study_file_is_named_and_recovers(tmp_path: Path) -> None:
    directory = finished_study(tmp_path)
    file = directory.path / "study-1.toml"
    text = file.read_text()
    file.write_text("repetitons = 1\n")
    watcher = StudyWatcher(directory.path)

    damaged = watcher.look()
    file.write_text(text)

    assert (damaged.activity, damaged.study) == (Activity.unknown, None)
    assert "study-1.toml:1: unknown key 'repetitons'" in damaged.sentence
    assert watcher.look().activity is Activity.ended


@pytest.mark.parametrize("name", ["full", "fifo"])
def test_what_is_no_study_and_no_run_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    os.mkfifo(tmp_path / "fifo")

    with pytest.raises(StudyMistake, match="expected the directory of a study, or a run file"):
        watcher_of(tmp_path / name)


@pytest.mark.parametrize("name", ["gone", "gone.jsonl", "empty"])
def test_a_single_look_needs_something_to_look_at(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(StudyMistake, match=r"is not a directory|does not exist yet|holds no study"):
        state_of(tmp_path / name)


def test_a_run_goes_through_its_states(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    watcher = watcher_of(path)
    states = [watcher.look()]
    path.write_text(PART)
    with written(path):
        states.append(watcher.look())
    states.append(watcher.look())
    path.write_text(WHOLE)
    states.append(watcher.look())

    assert [one.activity for one in states] == [
        Activity.waiting, Activity.running, Activity.stopped, Activity.ended
    ]  # fmt: skip
    assert "the run was killed, or its machine failed" in states[2].sentence
    assert f"`stressbench run --continue {path}` continues" in states[2].sentence
    assert [len(one.runs) for one in states] == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [("interrupted", "the run was interrupted"), ("time_limit", "its time limit ended the run"), ("fault", "a fault")],
)
def test_a_run_that_ended_early_says_why(tmp_path: Path, reason: str, sentence: str) -> None:
    made = build_run(complete=False)
    made.records.append(end(rounds=20, complete=False, reason=reason))

    watched = RunWatcher(made.write(tmp_path)).look()

    assert (watched.activity, sentence in watched.sentence) == (Activity.stopped, True)


def test_a_run_whose_process_is_known_needs_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    alive = [True]
    watcher = RunWatcher(path, on="slurm", is_alive=lambda: alive[0])

    starting = watcher.look()
    path.write_text(PART)
    goes_on = watcher.look()
    alive[0] = False
    ended = watcher.look()

    assert (starting.activity, starting.sentence) == (Activity.running, "starting")
    assert (goes_on.activity, goes_on.runs[0].on) == (Activity.running, "slurm")
    assert ended.activity is Activity.stopped


def test_a_time_limit_bounds_the_end_of_a_run(tmp_path: Path) -> None:
    made = build_run(complete=False)
    made.header["plan"] |= {"until_interval": 0.05, "time_limit_s": 60.0}
    path = made.write(tmp_path)

    watched = RunWatcher(path, is_alive=lambda: True, clock=lambda: at(20)).look()

    assert (watched.left_s, watched.most_s, watched.runs[0].planned_rounds) == (None, 40, None)


def test_warnings_of_the_engine_are_shown_and_notes_are_not(tmp_path: Path) -> None:
    made = build_run(complete=False)
    made.records += [
        {**event(message="the clock is coarse"), "job": 0}, event(message="by the way", severity="note")
    ]  # fmt: skip

    run = RunWatcher(made.write(tmp_path)).look().runs[0]

    assert run.warnings == ("job: the clock is coarse",)


def test_nothing_is_written(tmp_path: Path) -> None:
    directory = killed_study(tmp_path, done=2)
    before = {path: path.stat().st_mtime_ns for path in directory.path.rglob("*")}

    look(directory.path)

    assert {path: path.stat().st_mtime_ns for path in directory.path.rglob("*")} == before
